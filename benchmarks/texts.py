"""Fifteen kinds of text, made with fixed seeds: what agents read and write. Used to fit and to judge the weights of ``sostenuto.tokens``.

Prose and Python come from the documentation and the sources of the running Python, everything else is composed from word lists.
"""

# ruff: noqa: E501, SIM905 - word lists and sentences in many scripts
from __future__ import annotations

import argparse
import ast
import base64
import configparser
import difflib
import inspect
import json
import random
import string
import textwrap
from collections.abc import Callable
from pydoc_data import topics

SIZE = 24_000  # characters of each sample

NOUNS = """user order item cart price token session request response handler buffer stream parser node tree index cache store
message context window budget result summary config option route widget panel layout color event listener timer queue worker
job task status error retry limit offset cursor page table column row field value schema model""".split()
VERBS = """get set load save fetch send parse build render update create delete find merge split clear open close start stop
check apply resolve handle compute format encode decode push pop bind emit""".split()
FOLDERS = "src lib app tests docs scripts packages core server client utils models views api config assets".split()
SUFFIXES = "py ts tsx js json md txt yml css html go rs sh".split()

CHINESE = """我们需要在下周之前完成这个项目的测试工作。|请先检查配置文件是否正确，然后重新启动服务器。|这个函数返回一个列表，其中包含所有用户的名字和地址。|
如果出现错误，系统会自动重试三次，每次间隔十秒。|他昨天去北京参加了一个关于人工智能的会议。|根据最新的统计数据，今年的销售额比去年增长了百分之十五。|
数据库连接失败的原因可能是密码错误或者网络不通。|学习编程最重要的是多练习，多思考，不要害怕犯错。|这本书介绍了中国古代的历史、文化和艺术。|
为了提高性能，我们把常用的结果保存在缓存里。|早上八点，孩子们背着书包高高兴兴地去上学。|该模型支持长文本输入，但超过上下文窗口的内容会被截断。|
政府宣布将投资建设新的铁路和公路，以改善交通状况。|请注意：删除文件之后无法恢复，操作前务必备份。|春天来了，公园里的花都开了，湖边有许多人在散步。|
会议决定由张伟负责后端接口，李娜负责前端页面。""".replace("\n", "").split("|")
JAPANESE = """設定ファイルを確認してから、サーバーを再起動してください。|この関数はユーザーの一覧を返します。|エラーが発生した場合は、三回まで自動的に再試行されます。|
昨日、友達と一緒に映画を見に行きました。とても面白かったです。|データベースへの接続に失敗しました。パスワードを確認してください。|Python の version は 3.11 以上が必要です。|
来週の会議までに資料を準備しておいてください。|新しい機能を追加するために、テストコードを書き直しました。|東京は日本の首都で、人口は約千四百万人です。|
キャッシュを削除すると、アプリケーションの動作が遅くなることがあります。|README.md を読んで、手順に従ってインストールします。|ありがとうございます。よろしくお願いいたします。|
プログラミングを学ぶには、毎日少しずつ練習することが大切です。|このメソッドは非推奨ですので、代わりに get_user() を使ってください。""".replace(
    "\n", ""
).split("|")
KOREAN = """설정 파일을 확인한 다음 서버를 다시 시작해 주세요.|이 함수는 모든 사용자의 이름과 주소 목록을 반환합니다.|오류가 발생하면 시스템이 자동으로 세 번 다시 시도합니다.|
어제 친구와 함께 영화를 보러 갔는데 정말 재미있었어요.|데이터베이스 연결에 실패했습니다. 비밀번호를 확인하십시오.|Python 버전은 3.11 이상이어야 합니다.|
다음 주 회의 전까지 자료를 준비해 주시기 바랍니다.|새로운 기능을 추가하기 위해 테스트 코드를 다시 작성했습니다.|서울은 대한민국의 수도이며 인구는 약 천만 명입니다.|
캐시를 삭제하면 애플리케이션이 느려질 수 있습니다.|README.md 파일을 읽고 순서대로 설치하세요.|프로그래밍을 배우려면 매일 조금씩 연습하는 것이 중요합니다.|
이 메서드는 더 이상 사용되지 않으므로 get_user() 를 사용하세요.|감사합니다. 잘 부탁드립니다.""".replace("\n", "").split("|")
RUSSIAN = """Перед запуском сервера необходимо проверить файл настроек.|Эта функция возвращает список всех пользователей и их адресов.|Если произойдёт ошибка, система автоматически повторит попытку три раза.|
Вчера мы с друзьями ходили в кино, фильм оказался очень интересным.|Не удалось подключиться к базе данных: проверьте пароль.|На следующей неделе состоится совещание по новому проекту.|
Чтобы повысить производительность, мы сохраняем результаты в кэше.|Москва является столицей России и крупнейшим городом страны.|Чтобы научиться программировать, нужно каждый день понемногу тренироваться.|
Внимание: после удаления файла восстановить его будет невозможно.|По данным за прошлый год, продажи выросли на пятнадцать процентов.|Пожалуйста, прочитайте инструкцию и следуйте указаниям.""".replace(
    "\n", ""
).split("|")
SCRIPTS = """الرجاء التحقق من ملف الإعدادات ثم إعادة تشغيل الخادم.|यह फ़ंक्शन सभी उपयोगकर्ताओं की सूची लौटाता है।|Παρακαλώ ελέγξτε το αρχείο ρυθμίσεων πριν από την εκκίνηση.|
אנא בדקו את קובץ ההגדרות לפני הפעלת השרת.|โปรดตรวจสอบไฟล์การตั้งค่าก่อนเริ่มเซิร์ฟเวอร์|Пожалуйста, проверьте настройки перед запуском.|您好，请检查设置。|設定を確認してください。|
Bitte überprüfen Sie die Einstellungen, bevor Sie den Server starten.|Après la réunion, l’équipe a décidé de réécrire le module “cache”.|Über größere Änderungen müssen wir später sprechen.""".replace(
    "\n", ""
).split("|")
EMOJI = "😀 😂 🎉 🚀 ✅ ❌ ⚠️ 🔥 👍 👨‍👩‍👧 🇩🇪 💡 📦 🐛 🤖 ✨ 🧪 📝 🔧 ❤️".split()


def _english(draw: random.Random) -> str:
    texts = sorted(topics.topics.values(), key=len)[-40:]
    return _filled(lambda: textwrap.dedent(draw.choice(texts)[:6_000]))


def _python(draw: random.Random) -> str:
    sources = [inspect.getsource(module) for module in (argparse, ast, configparser, difflib, inspect, json.decoder, textwrap, random)]
    return _filled(lambda: _slice(draw, draw.choice(sources), 6_000))


def _camel(draw: random.Random) -> str:
    return draw.choice(VERBS) + "".join(draw.choice(NOUNS).capitalize() for _ in range(draw.randint(1, 2)))


def _typescript(draw: random.Random) -> str:
    def piece() -> str:
        name, kind = _camel(draw), draw.choice(NOUNS).capitalize()
        field, other, call = draw.choice(NOUNS), draw.choice(NOUNS), _camel(draw)
        return (
            f"export interface {kind}Props {{\n  {field}: string;\n  {other}?: number;\n  onChange: (value: {kind}) => void;\n}}\n\n"
            f"/** Returns the {field} of the {other}. */\nexport async function {name}({field}: {kind}, options = {{}}): Promise<{kind}[]> {{\n"
            f"  const {other}s = await this.{draw.choice(NOUNS)}Service.{call}({field}.id);\n"
            f"  if (!{other}s.length) {{\n    throw new Error(`No {other} found for ${{{field}.name}}`);\n  }}\n"
            f"  return {other}s.filter((entry) => entry.{field} !== undefined).map((entry) => ({{ ...entry, {field} }}));\n}}\n\n"
            f"import {{ {kind}, {call} }} from '../{draw.choice(FOLDERS)}/{field}-{other}';\n"
        )

    return _filled(piece)


def _diff(draw: random.Random) -> str:
    def piece() -> str:
        old = _slice(draw, inspect.getsource(draw.choice((argparse, ast, configparser, difflib, inspect))), 3_000).splitlines()
        new = [line.replace("self", "this") if draw.random() < 0.1 else line for line in old if draw.random() > 0.03]
        path = f"{draw.choice(FOLDERS)}/{draw.choice(NOUNS)}_{draw.choice(NOUNS)}.py"
        head = f"diff --git a/{path} b/{path}\nindex {draw.getrandbits(28):07x}..{draw.getrandbits(28):07x} 100644\n"
        return head + "\n".join(difflib.unified_diff(old, new, f"a/{path}", f"b/{path}", lineterm="")) + "\n"

    return _filled(piece)


def _minified(draw: random.Random) -> str:
    def piece() -> str:
        a, b, c = draw.sample(string.ascii_lowercase, 3)
        name, field = _camel(draw), draw.choice(NOUNS)
        return (
            f"function {a}({b},{c}){{var e={b}.{field}||{{}};return void 0!==e.{name}?{c}.{_camel(draw)}(e,{draw.randint(0, 99)}):null}}"
            f'{a}.prototype.{name}=function({b}){{if(!this.{field})throw new Error("{field} {draw.choice(NOUNS)} missing");'
            f"for(var {c}=0;{c}<{b}.length;{c}++)this.{field}.push({b}[{c}]);return this}};t.exports={{{name}:{a},{field}:!0}};"
        )

    return _filled(piece)


def _logs(draw: random.Random) -> str:
    def piece() -> str:
        return (
            json.dumps(
                {
                    "ts": f"2026-{draw.randint(1, 12):02d}-{draw.randint(1, 28):02d}T{draw.randint(0, 23):02d}:{draw.randint(0, 59):02d}:"
                    f"{draw.randint(0, 59):02d}.{draw.randint(0, 999):03d}Z",
                    "level": draw.choice(("info", "warn", "error", "debug")),
                    "trace_id": f"{draw.getrandbits(128):032x}",
                    "span": f"{draw.getrandbits(64):016x}",
                    "msg": f"{draw.choice(VERBS)} {draw.choice(NOUNS)} {draw.choice(('ok', 'failed', 'timeout'))}",
                    "duration_ms": round(draw.random() * 1000, 3),
                    "status": draw.choice((200, 201, 404, 500)),
                    "user_id": draw.randint(1, 10**7),
                }
            )
            + "\n"
        )

    return _filled(piece)


def _listing(draw: random.Random) -> str:
    def piece() -> str:
        lines = [f"./{draw.choice(FOLDERS)}/{draw.choice(NOUNS)}:", f"total {draw.randint(4, 900)}"]
        for _ in range(12):
            lines.append(
                f"{draw.choice(('-rw-r--r--', '-rwxr-xr-x', 'drwxr-xr-x'))} {draw.randint(1, 9)} root root {draw.randint(20, 999999):>8} "
                f"{draw.choice(('Jan', 'Mar', 'Aug', 'Nov'))} {draw.randint(1, 28):>2} {draw.randint(0, 23):02d}:{draw.randint(0, 59):02d} "
                f"{draw.choice(NOUNS)}{draw.choice('_-.')}{draw.choice(NOUNS)}.{draw.choice(SUFFIXES)}"
            )
        return "\n".join(lines) + "\n\n"

    return _filled(piece)


def _csv(draw: random.Random) -> str:
    return _filled(lambda: ",".join(f"{draw.random() * 10 ** draw.randint(0, 5):.{draw.randint(0, 6)}f}" for _ in range(8)) + "\n")


def _hexadecimal(draw: random.Random) -> str:
    return _filled(lambda: f"{draw.getrandbits(256):064x}\n")


def _base64(draw: random.Random) -> str:
    return _filled(lambda: base64.encodebytes(draw.randbytes(570)).decode())


def _sentences(sentences: list[str], *, gap: str) -> Callable[[random.Random], str]:
    return lambda draw: _filled(lambda: draw.choice(sentences) + (gap if draw.random() < 0.8 else "\n"))


def _mixed(draw: random.Random) -> str:
    return _filled(lambda: f"{draw.choice(SCRIPTS)} {draw.choice(EMOJI)} " if draw.random() < 0.8 else draw.choice(EMOJI) * 2 + "\n")


def _report(draw: random.Random) -> str:
    """Prose of an agent: Markdown with paths, code spans, lists and numbers."""

    def piece() -> str:
        path = f"`{draw.choice(FOLDERS)}/{draw.choice(NOUNS)}_{draw.choice(NOUNS)}.{draw.choice(SUFFIXES)}`"
        return draw.choice(
            (
                f"I'll {draw.choice(VERBS)} the {draw.choice(NOUNS)} first, then look at {path} to see how the {draw.choice(NOUNS)} is handled.\n\n",
                f"- **{draw.choice(NOUNS).capitalize()}**: `{_camel(draw)}()` now returns the {draw.choice(NOUNS)} ({draw.randint(2, 99)} tests pass)\n",
                f"## {draw.choice(VERBS).capitalize()} the {draw.choice(NOUNS)}\n\nThe problem is in {path}, line {draw.randint(3, 900)}: "
                f"the {draw.choice(NOUNS)} isn't checked before the {draw.choice(NOUNS)} is used.\n",
                f"```python\nresult = {draw.choice(NOUNS)}.{draw.choice(VERBS)}_{draw.choice(NOUNS)}({draw.choice(NOUNS)}={draw.randint(0, 9)})\n```\n",
            )
        )

    return _filled(piece)


def _filled(piece: Callable[[], str]) -> str:
    pieces: list[str] = []
    while sum(map(len, pieces)) < SIZE:
        pieces.append(piece())
    return "".join(pieces)[:SIZE]


def _slice(draw: random.Random, text: str, size: int) -> str:
    start = draw.randrange(max(1, len(text) - size))
    return text[start : start + size]


KINDS: dict[str, Callable[[random.Random], str]] = {
    "English docs": _english,
    "Python": _python,
    "TypeScript": _typescript,
    "git diff": _diff,
    "minified JS": _minified,
    "JSON logs": _logs,
    "ls -lR": _listing,
    "CSV of numbers": _csv,
    "hex": _hexadecimal,
    "base64": _base64,
    "Chinese": _sentences(CHINESE, gap=""),
    "Japanese, mixed": _sentences(JAPANESE, gap=""),
    "Korean, mixed": _sentences(KOREAN, gap=" "),
    "emoji + scripts": _mixed,
    "Russian": _sentences(RUSSIAN, gap=" "),
    "agent prose": _report,
}
"""Kind -> how to make it. The last is not in the published measurements; it is what assistants write."""


def texts(*, seed: int) -> dict[str, str]:
    """One sample of every kind."""
    return {kind: make(random.Random(f"{seed}:{kind}")) for kind, make in KINDS.items()}
