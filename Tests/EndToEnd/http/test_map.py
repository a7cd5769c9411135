# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

"""The floor plan of a profile: which files are accepted, and how they are served."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from beaconry import Beaconry
from http_client import Server
from pictures import plan

Served = Callable[..., Server]
UUID = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"
ROOM = "profile: room\nmap: {{ image: {name}, width: 30m, origin: [-1, 2] }}\n" + (
    f"beacons: [{{{{ id: door, device: ibeacon, ibeacon: {{{{ uuid: {UUID}, major: 1, minor: 7 }}}} }}}}]\n"
)


def room(beaconry: Beaconry, name: str = "plan.png", content: bytes | None = None) -> Path:
    """A profile with a map, beside the file."""
    profile = beaconry.profile(ROOM.format(name=name))
    (profile.parent / name).write_bytes(plan() if content is None else content)
    return profile


@pytest.mark.parametrize(("name", "kind"), [("plan.png", "PNG"), ("plan.jpg", "JPEG"), ("plan.webp", "WEBP")])
def test_plan_is_served_as_what_it_is(served: Served, beaconry: Beaconry, name: str, kind: str) -> None:
    content = plan(kind=kind)
    server = served(profile=room(beaconry, name, content))
    known = server.get("/v1/air")["map"]
    assert known["width"] == 30 and known["height"] == 20 and known["origin"] == [-1, 2]
    answer = server.request("GET", "/v1/air/map")
    assert answer.status == 200 and answer.body == content
    assert answer.headers["content-type"] == known["type"] == f"image/{kind.lower()}"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "default-src 'self'" in answer.headers["content-security-policy"]
    assert answer.headers["etag"] == f'"{known["tag"]}"'


def test_name_of_the_file_does_not_determine_its_type(served: Served, beaconry: Beaconry) -> None:
    server = served(profile=room(beaconry, "plan.png", plan(kind="JPEG")))
    assert server.request("GET", "/v1/air/map").headers["content-type"] == "image/jpeg"


def test_plan_needs_the_token(served: Served, beaconry: Beaconry, tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("0123456789abcdef0123")
    token.chmod(0o600)
    server = served("--http-token-file", token, profile=room(beaconry))
    assert server.request("GET", "/v1/air/map").status == 401
    assert server.request("GET", "/v1/air/map?token=0123456789abcdef0123").status == 401
    assert server.request("GET", "/v1/air/map", Authorization="Bearer 0123456789abcdef0123").body == plan()


def test_without_a_map_there_is_none(served: Served) -> None:
    server = served()
    assert "map" not in server.get("/v1/air")
    answer = server.request("GET", "/v1/air/map")
    assert answer.status == 404 and answer.json["code"] == "no-map"


def test_reload_reads_the_picture_again(served: Served, beaconry: Beaconry) -> None:
    profile = room(beaconry)
    server = served(profile=profile)
    former = server.get("/v1/air")["map"]["tag"]
    (profile.parent / "plan.png").write_bytes(plan(400, 200))
    assert server.request("POST", "/v1/reload", {}).status == 200
    after = server.get("/v1/air")["map"]
    assert after["tag"] != former and after["height"] == 15
    (profile.parent / "plan.png").unlink()
    assert server.request("POST", "/v1/reload", {}).status == 422
    assert server.request("GET", "/v1/air/map").body == plan(400, 200)


def test_profile_that_is_sent_names_no_picture(served: Served, beaconry: Beaconry) -> None:
    """What clients read of a profile, they can send back: the map of the file stays."""
    server = served(profile=room(beaconry))
    yaml = {"Content_Type": "application/yaml"}
    answer = server.request("PUT", "/v1/profile", ROOM.format(name="plan.png").encode(), **yaml)
    assert answer.status == 422
    [fault] = answer.json["faults"]
    assert (fault["line"], fault["column"]) == (2, 15) and "names no files" in fault["message"]
    text = server.request("GET", "/v1/profile").body
    assert server.request("PUT", "/v1/profile", text, **yaml).status == 200
    assert server.request("GET", "/v1/air/map").body == plan()


def outside(folder: Path) -> str:
    (folder.parent / "outside.png").write_bytes(plan())
    return "../outside.png"


def link(folder: Path) -> str:
    outside(folder)
    (folder / "link.png").symlink_to(folder.parent / "outside.png")
    return "link.png"


def linked_folder(folder: Path) -> str:
    outside(folder)
    (folder / "rooms").symlink_to(folder.parent)
    return "rooms/outside.png"


def absolute(folder: Path) -> str:
    outside(folder)
    return str(folder.parent / "outside.png")


def missing(folder: Path) -> str:
    return "missing.png"


def picture_folder(folder: Path) -> str:
    (folder / "plan.png").mkdir()
    return "plan.png"


def pipe(folder: Path) -> str:
    os.mkfifo(folder / "plan.png")
    return "plan.png"


def drawing(folder: Path) -> str:
    (folder / "plan.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>")
    return "plan.svg"


def page(folder: Path) -> str:
    (folder / "plan.png").write_text("<!doctype html><script>alert(1)</script>")
    return "plan.png"


def large(folder: Path) -> str:
    (folder / "plan.png").write_bytes(plan() + bytes(4 << 20))
    return "plan.png"


def wide(folder: Path) -> str:
    (folder / "plan.png").write_bytes(plan(20_000, 10))
    return "plan.png"


def cut(folder: Path) -> str:
    (folder / "plan.png").write_bytes(plan()[:18])
    return "plan.png"


WRONG = {
    outside: "is outside of the profile's folder; copy the picture into the folder",
    link: "is outside of the profile's folder",
    linked_folder: "is outside of the profile's folder",
    absolute: "is outside of the profile's folder",
    missing: "there is no file",
    picture_folder: "is not a regular file",
    pipe: "is not a regular file",
    drawing: "an SVG may have scripts",
    page: "is not a picture of a known format",
    large: "a picture has at most 4,194,304",
    wide: "has 20000 x 10 pixels; at most 16384 a side",
    cut: "is a damaged picture",
}


@pytest.mark.parametrize("kind", ["profile", "scenario"])
@pytest.mark.parametrize("make", WRONG, ids=lambda make: make.__name__)
def test_wrong_files_are_faults_with_their_place(
    beaconry: Beaconry, make: Callable[[Path], str], kind: str, tmp_path: Path
) -> None:
    folder = tmp_path / "a" / "b"
    folder.mkdir(parents=True)
    name = make(folder)
    text = ROOM.format(name=f'"{name}"')
    if kind == "scenario":
        text = text.replace("profile: room", "scenario: room") + "expect: [{ at: 1s, on-air: door }]\n"
    file = folder / "room.yaml"
    file.write_text(text)
    refused = beaconry.call(*(("check",) if kind == "profile" else ("test",)), str(file))
    shutil.rmtree(tmp_path / "a")
    assert refused.returncode == 65, refused
    output = refused.stdout + refused.stderr
    assert f"{file}:2:15: error: map.image: " in output and WRONG[make] in output, output


def test_link_within_the_folder_is_accepted(beaconry: Beaconry) -> None:
    profile = room(beaconry)
    (profile.parent / "rooms").mkdir()
    (profile.parent / "rooms" / "link.png").symlink_to(profile.parent / "plan.png")
    profile.write_text(ROOM.format(name="rooms/link.png"))
    assert beaconry.call("check", str(profile)).returncode == 0


def test_two_profiles_have_one_map(beaconry: Beaconry) -> None:
    one = room(beaconry)
    two = one.parent / "two.yaml"
    two.write_text(ROOM.format(name="plan.png").replace("profile: room", "profile: two").replace("width: 30m", "width: 31m"))
    refused = beaconry.call("check", str(one), str(two))
    assert refused.returncode == 65 and "an earlier profile has another map" in refused.stdout + refused.stderr
