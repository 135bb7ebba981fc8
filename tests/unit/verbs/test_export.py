"""What cannot be written is said in terms of what was asked for."""


def test_a_folder_that_is_not_there_is_named_without_our_temporary_file(ultan, tmp_path):
    ultan("save", "Always use uv, never pip")
    said = ultan("export", str(tmp_path / "nowhere" / "x.zip"))
    assert said.status == 2
    assert f"there is no folder {tmp_path / 'nowhere'}" in said.err
    assert ".tmp" not in said.err
