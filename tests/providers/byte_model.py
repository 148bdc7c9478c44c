"""A llama model of 110 KB with random weights whose tokenizer makes one token of every byte: a real server then counts exactly."""

from __future__ import annotations

from pathlib import Path
from typing import Any

SPECIAL = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
WIDTH, HEADS, DEEP = 32, 2, 64
TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
"""Frames a message; a request of one user message of n bytes is n + 19 tokens."""


def _letters() -> list[str]:
    """The letter that stands for each byte in vocabularies of this kind: itself where it can be seen, else one from 256 on."""
    seen = {*range(33, 127), *range(161, 173), *range(174, 256)}
    unseen = [byte for byte in range(256) if byte not in seen]
    return [chr(byte) if byte in seen else chr(256 + unseen.index(byte)) for byte in range(256)]


def write_byte_model(path: Path, *, trained: int) -> None:
    """Write the file; `trained` is the most tokens it serves."""
    import gguf
    import numpy

    space = _letters()[32]
    vocabulary = [*SPECIAL, *_letters(), space + space]  # a loader wants at least one merge
    writer: Any = gguf.GGUFWriter(str(path), "llama")
    writer.add_context_length(trained)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(1)
    writer.add_feed_forward_length(DEEP)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_vocab_size(len(vocabulary))
    writer.add_file_type(gguf.LlamaFileType.ALL_F32)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(vocabulary)
    writer.add_token_merges([f"{space} {space}"])
    writer.add_token_types([gguf.TokenType.CONTROL if word in SPECIAL else gguf.TokenType.NORMAL for word in vocabulary])
    for put, token in ((writer.add_bos_token_id, 0), (writer.add_eos_token_id, 2), (writer.add_pad_token_id, 0)):
        put(token)
    writer.add_add_bos_token(False)
    writer.add_chat_template(TEMPLATE)
    dice = numpy.random.default_rng(0)
    for name, shape in _tensors(len(vocabulary)).items():
        ones = len(shape) == 1
        values = numpy.ones(shape) if ones else dice.standard_normal(shape) * 0.05
        writer.add_tensor(name, values.astype(numpy.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _tensors(words: int) -> dict[str, tuple[int, ...]]:
    shapes: dict[str, tuple[int, ...]] = {
        "token_embd.weight": (words, WIDTH),
        "output_norm.weight": (WIDTH,),
        "output.weight": (words, WIDTH),
    }
    block: dict[str, tuple[int, ...]] = {"attn_norm": (WIDTH,), "ffn_norm": (WIDTH,)}
    block |= dict.fromkeys(("attn_q", "attn_k", "attn_v", "attn_output"), (WIDTH, WIDTH))
    block |= {"ffn_gate": (DEEP, WIDTH), "ffn_up": (DEEP, WIDTH), "ffn_down": (WIDTH, DEEP)}
    return shapes | {f"blk.0.{name}.weight": shape for name, shape in block.items()}
