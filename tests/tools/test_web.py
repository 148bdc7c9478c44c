"""web_fetch and http_request against a server of this machine, with names that lead where the test says."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from sostenuto.errors import ToolFailed
from sostenuto.tools import Answer, Policy
from sostenuto.tools._addresses import address, is_public
from sostenuto.tools._http import LARGEST
from sostenuto.tools._http_request import http_request
from sostenuto.tools._web_fetch import web_fetch
from tests.tools.working import ANYTHING, call, carried

PAGE = "<html><head><title>T</title><script>x<y</script></head><body><h1>Head</h1><p>One &amp; <a href='/b'>two</a></p></body></html>"


class _Site(BaseHTTPRequestHandler):
    """Answers by path; remembers what it was asked."""

    asked: list[tuple[str, str, dict[str, str], bytes]]

    def _answer(self) -> None:
        length = int(self.headers.get("Content-Length", 0))
        type(self).asked.append((self.command, self.path, dict(self.headers.items()), self.rfile.read(length)))
        where = self.path.partition("?")[0]
        if where.startswith("/to/"):
            self._send(302, b"", {"Location": where.removeprefix("/to/").replace("~", "/")})
        elif where.startswith("/keep/"):
            self._send(307, b"", {"Location": where.removeprefix("/keep/").replace("~", "/")})
        elif where == "/circle":
            self._send(301, b"", {"Location": "/circle"})
        elif where == "/gone":
            self._send(404, b"nothing here", {"Content-Type": "text/plain"})
        elif where == "/latin":
            self._send(200, "café".encode("latin-1"), {"Content-Type": "text/plain; charset=ISO-8859-1"})
        elif where == "/binary":
            self._send(200, b"\x89PNG\0\0", {"Content-Type": "image/png"})
        elif where == "/bomb":
            self._send(200, gzip.compress(b"x" * (40 * 1024 * 1024)), {"Content-Type": "text/plain", "Content-Encoding": "gzip"})
        elif where == "/odd":
            self._send(200, b"x", {"Content-Encoding": "br"})
        elif where == "/short":
            self._send(200, b"half", {"Content-Length": "8", "Content-Type": "text/plain"})
        elif where == "/json":
            self._send(200, b'{"a": 1}', {"Content-Type": "application/json", "ETag": "e"})
        else:
            self._send(200, PAGE.encode(), {"Content-Type": "text/html; charset=utf-8"})

    do_GET = do_POST = do_HEAD = do_DELETE = _answer

    def _send(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


class _Web:
    """A site, and who is where: names lead to this machine unless the test says otherwise."""

    def __init__(self, port: int, site: type[_Site]) -> None:
        self.port, self.site = port, site
        self.names: dict[str, list[str]] = {}

    def resolver(self, host: str, _: int) -> Sequence[str]:
        """The addresses of a name; each look takes the next one of the list, the last for ever."""
        known = self.names.get(host, ["127.0.0.1"])
        found = known.pop(0) if len(known) > 1 else known[0]
        if not found:
            raise OSError(-2, "Name or service not known")
        return [found]

    def fetch(self, path: str, *, host: str = "site.test", policy: Policy = ANYTHING) -> Answer:
        """What web_fetch answers."""
        url = path if "://" in path else f"http://{host}:{self.port}{path}"
        return carried([call("web_fetch", {"url": url})], [web_fetch(self.resolver)], policy=policy)[0]

    def request(self, path: str, *, policy: Policy = ANYTHING, **more: Any) -> Answer:
        """What http_request answers."""
        url = f"http://site.test:{self.port}{path}"
        return carried([call("http_request", {"url": url, **more})], [http_request(self.resolver)], policy=policy)[0]


@pytest.fixture
def web() -> Iterator[_Web]:
    """A site on a port of this machine."""
    site = type("Site", (_Site,), {"asked": []})
    server = ThreadingHTTPServer(("127.0.0.1", 0), site)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield _Web(server.server_address[1], site)
    server.shutdown()
    server.server_close()
    thread.join()


def test_a_page_comes_as_words_in_a_frame(web: _Web) -> None:
    """Tags and scripts are gone, links are whole, and the frame names the address."""
    answer = web.fetch("/a")
    url = f"http://site.test:{web.port}"
    assert answer.text.startswith(f'<untrusted source="{url}/a" kind="external">\nT\n\n# Head\n\nOne & [two]({url}/b)\n</untrusted>\n[')
    assert answer.succeeded
    assert answer.provenance is not None
    assert answer.provenance.taints


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/latin", "café"),
        ("/json", '{"a": 1}'),
        ("/binary", "8 bytes that are no text (image/png)"),
        ("/short", "what came in time, were read"),
    ],
)
def test_other_kinds_of_answers(path: str, said: str, web: _Web) -> None:
    """Texts are read as they say they are written, what is no text is described, and half an answer is called one."""
    assert said.replace("8 bytes", "6 bytes") in web.fetch(path).text


def test_an_error_of_the_server_is_a_failure_with_its_words(web: _Web) -> None:
    """A status of 400 and above fails, and what the server said is there."""
    answer = web.fetch("/gone")
    assert not answer.succeeded
    assert "The server answered 404 Not Found.\nnothing here" in answer.text


def test_a_packed_answer_is_bounded_after_unpacking(web: _Web) -> None:
    """Forty megabytes out of forty kilobytes end at the bound; a packing that was not asked for is refused."""
    answer = web.fetch("/bomb")
    assert LARGEST <= answer.characters < LARGEST + 200
    assert "is packed as 'br'" in web.fetch("/odd").text


def test_a_private_address_needs_consent(web: _Web) -> None:
    """Below high risk nothing is sent to this machine, and the refusal says why."""
    answer = web.fetch("/a", policy=Policy("low-risk"))
    assert answer.ended == "refused"
    assert "site.test (127.0.0.1) is an address of this machine or of a private network" in answer.text
    assert web.site.asked == []


def test_a_name_that_moves_after_the_look_is_not_followed(web: _Web) -> None:
    """A name that is public when it is looked at and private when it is gone to is refused then."""
    web.names["moving.test"] = ["93.184.216.34", "127.0.0.1"]
    answer = web.fetch("/a", host="moving.test", policy=Policy("low-risk"))
    assert answer.ended == "failed"
    assert "going there was not allowed" in answer.text
    assert web.site.asked == []


def test_a_redirection_is_looked_at_like_the_first_address(web: _Web) -> None:
    """Consent for one machine is none for the next; one to something else than http is none at all."""
    web.names["inner.test"] = ["10.0.0.7"]
    answer = web.fetch(f"/to/http:~~inner.test:{web.port}~x")
    assert answer.ended == "failed"
    assert "inner.test (10.0.0.7)" in answer.text
    assert "no http or https address" in web.fetch("/to/file:~~~etc~passwd").text
    assert "in a circle" in web.fetch("/circle").text or "a circle or a trap" in web.fetch("/circle").text


def test_redirections_on_the_same_machine_are_followed(web: _Web) -> None:
    """A relative one leads on, and the frame names where it ended."""
    assert f'source="http://site.test:{web.port}/a/b"' in web.fetch("/to/~a~b").text


def test_a_request_has_its_method_headers_and_body(web: _Web) -> None:
    """What was asked arrives as asked, and the answer has status, headers and body."""
    answer = web.request("/json?q=a b", method="POST", headers={"X-Mine": "1", "Host": "evil"}, body="é")
    assert 'HTTP 200 OK\ncontent-type: application/json\ncontent-length: 8\netag: e\n\n{"a": 1}' in answer.text
    method, path, headers, body = web.site.asked[0]
    assert (method, path, body) == ("POST", "/json?q=a%20b", "é".encode())
    assert headers["X-Mine"] == "1"
    assert headers["Host"] == f"site.test:{web.port}"
    assert "HTTP 200 OK" in web.request("/json", method="HEAD").text


def test_a_request_that_changes_something_is_high_risk(web: _Web) -> None:
    """Reading a public address is low risk, writing to one is high."""
    web.names["site.test"] = ["93.184.216.34"]
    assert web.request("/a", method="DELETE", policy=Policy("low-risk")).ended == "refused"
    assert web.request("/a", body="x", policy=Policy("low-risk")).ended == "refused"


def test_secrets_and_bodies_do_not_go_to_another_host(web: _Web) -> None:
    """A redirected write to another host is not followed; on the same one it keeps its method."""
    answer = web.request(f"/keep/http:~~other.test:{web.port}~x", method="POST", headers={"Authorization": "secret"}, body="x")
    assert "another host; ask there yourself" in answer.text
    assert "HTTP 200" in web.request("/keep/~x", method="POST", headers={"Authorization": "secret"}, body="x").text
    assert [(asked[0], asked[3]) for asked in web.site.asked] == [("POST", b"x")] * 3


@pytest.mark.parametrize("headers", [{"X": "a\r\nEvil: 1"}, {"X\n": "a"}, {"é": "a"}, {"X": "漢"}])
def test_a_header_that_cannot_be_is_refused(headers: dict[str, str], web: _Web) -> None:
    """No header can bring in a second one, and the answer says what is wrong."""
    answer = web.request("/a", headers=headers)
    assert answer.ended == "failed"
    assert "header" in answer.text
    assert web.site.asked == []


def test_a_host_that_is_not_there(web: _Web) -> None:
    """An unknown name and a closed port fail in words."""
    web.names["nobody.test"] = [""]
    assert "the host nobody.test is not found (Name or service not known)" in web.fetch("http://nobody.test/").text
    assert "cannot be fetched" in web.fetch("http://site.test:1/").text
    assert "cannot be fetched" in web.fetch(f"https://site.test:{web.port}/").text
    wrong = web.fetch("ftp://site.test/")
    assert (wrong.ended, "no http or https address" in wrong.text) == ("refused", True)


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("ftp://a/b", "no http or https"),
        ("file:///etc/passwd", "no http or https"),
        ("a/b", "no http or https"),
        ("http://", "names no host"),
        ("http://a:b@c/", "user name or password"),
        ("http://a:99999/", "no address"),
        ("http://[::1/", "no address"),
        ("http://" + "a" * 9_000, "9,007 characters"),
        ("http://a\\@b/", "user name|names no host"),
        ("http://" + "é" * 100 + ".com/", "no address"),
    ],
)
def test_what_is_no_address_is_told(url: str, said: str) -> None:
    """Each kind of wrong address has its sentence."""
    with pytest.raises(ToolFailed, match=said):
        address(url)


@pytest.mark.parametrize(
    ("url", "whole"),
    [
        ("http://EXAMPLE.com", "http://example.com/"),
        ("https://a.b:8443/x?q=é#part", "https://a.b:8443/x?q=%C3%A9"),
        ("http://bücher.example/ä b", "http://xn--bcher-kva.example/%C3%A4%20b"),
        ("http://[2001:db8::1]:80/", "http://[2001:db8::1]/"),
        ("http://a/%41?x=%2F", "http://a/%41?x=%2F"),
    ],
)
def test_an_address_is_taken_apart_and_written_again(url: str, whole: str) -> None:
    """Letters that the wire lacks are written in its way, what is written so already stays."""
    assert address(url).url == whole


OWN = (
    *("127.0.0.1", "127.9.9.9", "0.0.0.0", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "224.0.0.1"),
    *("255.255.255.255", "::1", "::", "fe80::1", "fe80::1%eth0", "fc00::1", "ff02::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1"),
    *("64:ff9b::7f00:1", "2002:7f00:1::", "x"),
)


@pytest.mark.parametrize("number", OWN)
def test_addresses_that_are_somebodys_own(number: str) -> None:
    """Loopback, private, link-local, shared, reserved and multicast addresses are not public, in whatever they are wrapped."""
    assert not is_public(number)


@pytest.mark.parametrize("number", ["93.184.216.34", "8.8.8.8", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808"])
def test_addresses_of_the_open_internet(number: str) -> None:
    """Everybody's addresses are public, also wrapped."""
    assert is_public(number)
