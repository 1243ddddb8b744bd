"""Builds minilm-l6-v2.wo-int8.onnx from the published weights of all-MiniLM-L6-v2.

    python3 export.py FOLDER OUT

FOLDER holds config.json and model.safetensors. The same input gives the same file, byte for byte.
Needs numpy, onnx and safetensors. The graph is that of a BERT encoder; matrices are stored as int8 with a scale per
output column, word embeddings with a scale per row, everything else as it is.
"""

import json
import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import load_file

OPSET = 17
MASKED = -10000.0


class Graph:
    """Nodes and constants, named in the order in which they are made."""

    def __init__(self):
        self.dequantised, self.nodes, self.constants, self.count = [], [], {}, 0

    def constant(self, name, array):
        """A constant, once per name."""
        if name not in self.constants:
            self.constants[name] = numpy_helper.from_array(np.ascontiguousarray(array), name)
        return name

    def int64(self, name, values):
        return self.constant(name, np.array(values, dtype=np.int64))

    def float32(self, name, value):
        return self.constant(name, np.array(value, dtype=np.float32))

    def op(self, kind, *inputs, name=None, out=None, **attributes):
        """A node; its result's name is returned."""
        self.count += 1
        out = out or f"{kind}_{self.count}"
        node = helper.make_node(kind, list(inputs), [out], name=name or f"n{self.count}_{kind}", **attributes)
        self.nodes.append(node)
        return out


def as_int8(array, axis):
    """Rounded to -127..127 along an axis, and the scales that undo it."""
    scale = np.abs(array).max(axis=axis, keepdims=True) / 127
    scale[scale == 0] = 1
    return np.clip(np.round(array / scale), -127, 127).astype(np.int8), scale.astype(np.float32)


def weight(graph, name, array):
    """A matrix as int8, turned back when the model is loaded."""
    quantised, scale = as_int8(array, axis=0)
    graph.constant(name + ".q", quantised)
    graph.constant(name + ".s", scale[0])
    graph.constant(name + ".z", np.zeros(scale.shape[1], np.int8))
    graph.dequantised.append(
        helper.make_node("DequantizeLinear", [name + ".q", name + ".s", name + ".z"], [name], axis=1, name="dq_" + name)
    )
    return name


def build(folder):
    """The model of a folder."""
    config = json.loads((folder / "config.json").read_text())
    weights = load_file(folder / "model.safetensors")
    hidden, heads = config["hidden_size"], config["num_attention_heads"]
    size = hidden // heads
    g = Graph()

    def linear(x, name):
        product = g.op("MatMul", x, weight(g, name + ".w", weights[name + ".weight"].T))
        return g.op("Add", product, g.constant(name + ".b", weights[name + ".bias"]))

    def layer_norm(x, name):
        scale = g.constant(name + ".w", weights[name + ".weight"])
        bias = g.constant(name + ".b", weights[name + ".bias"])
        return g.op("LayerNormalization", x, scale, bias, axis=-1, epsilon=config["layer_norm_eps"])

    words, scales = as_int8(weights["embeddings.word_embeddings.weight"], axis=1)
    g.constant("emb.word.q", words)
    g.constant("emb.word.s", scales)
    rows = g.op("Gather", "emb.word.q", "input_ids", name="ewq", out="ewq")
    rows = g.op("Cast", rows, name="ewf", out="ewf", to=TensorProto.FLOAT)
    row_scales = g.op("Gather", "emb.word.s", "input_ids", name="ews", out="ews")
    word = g.op("Mul", rows, row_scales, name="ewm", out="Gather_1")
    # These four stand for one look-up, and the numbers of nodes go on from it.
    g.count = 1
    kind = g.op("Gather", g.constant("emb.type", weights["embeddings.token_type_embeddings.weight"]), "token_type_ids")
    shape = g.op("Shape", "input_ids")
    length = g.op("Slice", shape, g.int64("one", [1]), g.int64("two", [2]))
    positions = g.constant("emb.pos", weights["embeddings.position_embeddings.weight"])
    place = g.op("Slice", positions, g.int64("z", [0]), length, g.int64("ax0", [0]))
    x = g.op("Add", g.op("Add", word, kind), place)
    x = layer_norm(x, "embeddings.LayerNorm")

    mask = g.op("Cast", "attention_mask", to=TensorProto.FLOAT)
    one = g.float32("f1", 1.0)
    mask = g.op("Sub", one, g.op("Unsqueeze", mask, g.int64("ax12", [1, 2])))
    mask = g.op("Mul", mask, g.float32("neg", MASKED))
    split, merge = g.int64("split", [0, 0, heads, size]), g.int64("merge", [0, 0, hidden])
    scale = g.float32("scale", 1 / np.sqrt(size))
    half, root = g.float32("half", 0.5), g.float32("rs2", 1 / np.sqrt(2))

    for number in range(config["num_hidden_layers"]):
        name = f"encoder.layer.{number}."

        def head(part, order):
            x_part = linear(x, name + "attention.self." + part)
            return g.op("Transpose", g.op("Reshape", x_part, split), perm=order)

        query, key, value = head("query", [0, 2, 1, 3]), head("key", [0, 2, 3, 1]), head("value", [0, 2, 1, 3])
        likeness = g.op("Mul", g.op("MatMul", query, key), scale)
        share = g.op("Softmax", g.op("Add", likeness, mask), axis=-1)
        mixed = g.op("Transpose", g.op("MatMul", share, value), perm=[0, 2, 1, 3])
        mixed = linear(g.op("Reshape", mixed, merge), name + "attention.output.dense")
        x = layer_norm(g.op("Add", mixed, x), name + "attention.output.LayerNorm")
        wide = linear(x, name + "intermediate.dense")
        # GELU, spelled out.
        bend = g.op("Add", g.op("Erf", g.op("Mul", wide, root)), one)
        wide = g.op("Mul", g.op("Mul", wide, bend), half)
        x = layer_norm(g.op("Add", linear(wide, name + "output.dense"), x), name + "output.LayerNorm")
    g.op("Identity", x, out="last_hidden_state")

    def tokens(name):
        return helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "seq"])

    output = helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["batch", "seq", hidden])
    inputs = [tokens(name) for name in ("input_ids", "attention_mask", "token_type_ids")]
    graph = helper.make_graph(g.dequantised + g.nodes, "minilm", inputs, [output], list(g.constants.values()))
    opset = [helper.make_opsetid("", OPSET)]
    model = helper.make_model(graph, opset_imports=opset, ir_version=8, producer_name="docs-export")
    onnx.checker.check_model(model)
    return model


if __name__ == "__main__":
    onnx.save(build(Path(sys.argv[1])), sys.argv[2])
