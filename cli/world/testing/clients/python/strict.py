"""Refuses answers with members that botocore's model does not have: its parsers ignore those."""

import json
from xml.etree import ElementTree

PROTOCOL_MEMBERS = {"requestId", "RequestId", "ResponseMetadata"}
# AWS has values of these that botocore does not know yet.
LAGGING = {"InstanceType"}
# A member that older releases of botocore do not know.
LATER_MEMBERS = {"interfaceTypeSet"}


def check_answers(session):
    """Checks every answer of the session's clients, and raises AssertionError for one that the model does not describe."""
    session.register("before-parse", _check)


def _check(operation_model, response_dict, **_):
    shape = operation_model.output_shape
    if response_dict["status_code"] >= 300 or shape is None:
        return
    body = response_dict["body"]
    protocol = operation_model.service_model.metadata["protocol"]
    if protocol in ("json", "rest-json"):
        _check_json(shape, json.loads(body or b"{}"), operation_model.name)
        return
    root = ElementTree.fromstring(body)
    if protocol == "query":
        wrapper = shape.serialization.get("resultWrapper")
        root = next(child for child in root if _name(child) == wrapper)
    _check_xml(shape, root, operation_model.name)


def _name(element):
    return element.tag.rpartition("}")[2]


def _check_json(shape, value, path):
    if shape.type_name == "structure":
        names = {member.serialization.get("name", name): member for name, member in shape.members.items()}
        unknown = set(value) - set(names)
        assert not unknown, f"{path} has unknown members {unknown}"
        missing = [name for name in shape.required_members if name not in value]
        assert not missing, f"{path} lacks {missing}"
        for name, member in value.items():
            _check_json(names[name], member, f"{path}.{name}")
    elif shape.type_name == "list":
        assert isinstance(value, list), path
        for item in value:
            _check_json(shape.member, item, path)
    elif shape.type_name == "map":
        for key, item in value.items():
            _check_json(shape.key, key, path)
            _check_json(shape.value, item, f"{path}.{key}")
    elif shape.type_name == "string":
        assert isinstance(value, str), path
        assert not shape.enum or shape.name in LAGGING or value in shape.enum, f"{path}: {value}"
    elif shape.type_name in ("integer", "long"):
        assert type(value) is int, path
    elif shape.type_name == "boolean":
        assert type(value) is bool, path


def _check_xml(shape, element, path):
    if shape.type_name == "structure":
        names = {member.serialization.get("name", name): member for name, member in shape.members.items()}
        seen = set()
        for child in element:
            name = _name(child)
            if name in PROTOCOL_MEMBERS or (name in LATER_MEMBERS and name not in names):
                continue
            assert name in names, f"{path} has the unknown member {name}"
            assert name not in seen, f"{path} has {name} twice"
            seen.add(name)
            _check_xml(names[name], child, f"{path}.{name}")
    elif shape.type_name == "list":
        wanted = shape.member.serialization.get("name", "member")
        for child in element:
            assert _name(child) == wanted, f"{path} has {_name(child)} in place of {wanted}"
            _check_xml(shape.member, child, path)
    else:
        text = element.text or ""
        assert len(element) == 0, f"{path} has children"
        if shape.type_name == "string":
            assert not shape.enum or shape.name in LAGGING or text in shape.enum, f"{path}: {text}"
        elif shape.type_name in ("integer", "long"):
            int(text)
        elif shape.type_name in ("float", "double"):
            float(text)
        elif shape.type_name == "boolean":
            assert text in ("true", "false"), f"{path}: {text}"
