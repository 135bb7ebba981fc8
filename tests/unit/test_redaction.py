import base64
import json
import os
import subprocess
import sys
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_secrets import CONTEXTS, HEX, SPECS, WORD, Maker

from ultan import redaction

ROOT = Path(__file__).parent.parent.parent
KEEP = {
    "git": "fixed in {hex40} (short {hex7}), see {hex64}",
    "image": "image: alpine@sha256:{hex64}",
    "uuid": "session_id: {uuid} request_id={uuid}",
    "integrity": '"integrity": "sha512-{b64}=="',
    "lock file": '{{file = "a.whl", hash = "sha256:{hex64}"}}',
    "go sum": "golang.org/x/text v0.3.0 h1:{b64}=",
    "public key": "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{word43} me@laptop",
    "data uri": "![x](data:image/png;base64,iVBORw0KGgo{b64}{b64}=)",
    "angle": "export API_KEY=<your-api-key-here> and password: <password>",
    "environment": "api_key = os.environ['OPENAI_API_KEY']; token = os.getenv(\"TOKEN\")",
    "shell": "Authorization: Bearer $GITHUB_TOKEN and --password=${{DB_PASSWORD}}",
    "actions": "token: ${{{{ secrets.GITHUB_TOKEN }}}}",
    "x": "sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "changeme": "password: changeme\npassword = 'password'",
    "stars": "password: ******** token=***",
    "stripe public": "pk_test_{word24}",
    "prose": "the password protection feature needs token refreshing before release",
    "budget": "keep the token budget under 1500 characters per prompt; max_tokens=4096",
    "secret": "the secret to a fast test suite is parallelism; the key is to measure first",
    "types": "def login(username: str, password: str, token: Token2 | None = None) -> Token:",
    "getpass": "password = getpass.getpass('Password: ')",
    "argument": "client = Client(api_key=settings.api_key, token=token_provider(), auth=self._auth2)",
    "name": "test_password_reset_token_is_invalidated_after_successful_login_2",
    "path": "/home/me/.cache/virtualenvs/ultan-Xk3jd9Qa-py3.12/lib/python3.12/site-packages/pydantic_core",
    "css": "sm:grid-cols-2 md:grid-cols-[minmax(0,1fr)_300px] hover:bg-slate-700/50",
    "camel": "AbstractSingletonProxyFactoryBeanConfigurationPropertiesBinder",
    "etag": 'ETag: "{hex32}" traceparent: 00-{hex32}-{hex16}-01',
    "container": "container {hex64} exited",
    "url": "s3://my-bucket/models/2026-01-02/checkpoint-000123456789.safetensors https://example.com/a@b",
    "version": "uv 0.11.12 (2026-10-02), ruff 0.15.1, token: v1.2.3, password 2026-10-02",
    "advice": "hash(password) should use argon2id, never md5; tokens are signed with RS256",
    "wikilink": "see [[global/security/token-rotation-policy]] and [[projects/x/api-key-2026]]",
    "mail": "ping me@example.com about the api key rotation",
    "address": "listen [2001:db8:85a3::8a2e:370:7334]:8443, git@github.com:acme/app.git",
    "user only": "https://user@example.com/path postgres://postgres:postgres@localhost:5432/app",
    "docker user": "docker run -u 1000:1000 -p 8080:80 image; curl -u $USER:$PASS https://x",
    "length": "password must be at least 12chars; tokens expire after 30days",
    "primary key": "primary_key=order_id2 foreign_key: users.id sort_key='created_at_2026'",
    "pagination": "next_token = 'page-2-of-results-abc'; cache_key={hex32}",
    "certificate": "-----BEGIN CERTIFICATE-----\n{b64}\n{b64}\n-----END CERTIFICATE-----",
    "public block": "-----BEGIN PUBLIC KEY-----\n{b64}\n-----END PUBLIC KEY-----",
    "deadlines": "the secret santa list: Anna2, the key: value pairs, sig: alice",
}


def dressed(context: str, kind: str, maker: Maker) -> tuple[str, str]:
    """A secret of *kind* and a text that holds it in *context*."""
    form = CONTEXTS[context]
    if isinstance(form, tuple):  # the sign follows the secret directly
        secret = maker.secret(kind)
        return secret, (SPECS[kind][1] or "the value is {} ok").format(form[0].format(secret))
    secret, text = maker.text(kind)
    if form.startswith("json"):
        for _ in range(2 if form == "json2" else 1):
            text, secret = json.dumps({"out": text}), json.dumps(secret)[1:-1]
        return secret, text
    return secret, form.format(text)


@pytest.mark.parametrize("kind", SPECS)
def test_every_kind_of_secret_goes_and_leaves_no_part_behind(kind):
    maker = Maker(7)
    for _ in range(5):
        secret, text = maker.text(kind)
        out, count = redaction.redact(text)
        assert count >= 1
        assert "[redacted:" in out
        body = secret[-12:]
        assert secret not in out, out
        assert body not in out, out


@pytest.mark.parametrize("context", CONTEXTS)
def test_what_stands_around_a_secret_does_not_hide_it(context):
    maker = Maker(11)
    missed = []
    for kind in SPECS:
        secret, text = dressed(context, kind, maker)
        if secret in redaction.redact(text)[0]:
            missed.append((kind, text))
    assert len(missed) <= 0.05 * len(SPECS), missed


@pytest.mark.parametrize("kind", SPECS)
def test_redacting_twice_changes_nothing(kind):
    maker = Maker(13)
    for context in CONTEXTS:
        _, text = dressed(context, kind, maker)
        once, _ = redaction.redact(text)
        assert redaction.redact(once) == (once, 0)


@pytest.mark.parametrize("space", [" ", "\t", "\n", "\u2028", "\u2029", "\u00a0", "\u3000", "\x1f"])
def test_a_space_after_the_slashes_of_an_address_shifts_nothing(space):
    """Found by fuzzing: what was cut out stood as many letters too far left as there were spaces."""
    text, count = redaction.redact(f"see https://{space}u:p4ssw0r0d@h/x, please")
    assert (text, count) == (f"see https://{space}u:[redacted:url-password]@h/x, please", 1)
    assert redaction.redact(text) == (text, 0)


@pytest.mark.parametrize("name", KEEP)
def test_what_only_looks_like_a_secret_stays(name):
    maker = Maker(17)
    uuid = "-".join(maker.body(HEX, n) for n in (8, 4, 4, 4, 12))
    text = KEEP[name].format(
        hex7=maker.body(HEX, 7), hex16=maker.body(HEX, 16), hex32=maker.body(HEX, 32), hex40=maker.body(HEX, 40),
        hex64=maker.body(HEX, 64), uuid=uuid, word24=maker.body(WORD, 24), word43=maker.body(WORD, 43),
        b64=base64.b64encode(maker.random.randbytes(45)).decode(),
    )  # fmt: skip
    assert redaction.redact(text) == (text, 0)
    assert redaction.deep(text) == (text, 0)


@pytest.mark.parametrize(
    "label", ["RSA PRIVATE KEY", "OPENSSH PRIVATE KEY", "ENCRYPTED PRIVATE KEY", "PGP PRIVATE KEY BLOCK"]
)
@pytest.mark.parametrize("end", [True, False])
@pytest.mark.parametrize("form", ["{}", "cat key\n{}\n$ ls -l", "> {}", '{{"private_key": "{}"}}', "escaped"])
def test_a_key_block_goes_whole_even_when_its_end_was_cut_off(label, end, form):
    block = Maker(19).key_block(label, end=end)
    lines = block.split("\n")[1:13]
    text = block.replace("\n", "\\n") if form == "escaped" else form.format(block)
    out, count = redaction.redact(text)
    assert count >= 1
    assert not any(line in out for line in lines), out
    assert "ls -l" in out or "ls -l" not in form


def test_the_tail_of_a_key_block_goes_even_when_its_beginning_was_cut_off():
    block = Maker(23).key_block().split("\n")
    out, _ = redaction.redact("… 300 lines\n\nsomething else here\n" + "\n".join(block[4:]) + "\nok")
    assert not any(line in out for line in block[4:12])
    assert out.startswith("… 300 lines")
    assert out.endswith("\nok")


def test_a_key_block_whose_last_line_was_cut_off_ends_with_the_text():
    for end in ("-----END RSA PRIVATE KEY", "-----END RSA PRIVATE KEY--", "-----END ", "-----END"):
        text = f"-----BEGIN RSA PRIVATE KEY-----\n{'QUJD' * 16}\n{end}"
        assert redaction.redact(text)[0].startswith("[redacted:private-key]")
        assert redaction.redact(f"{text}\\ud800")[1] >= 1
    assert redaction.redact("A PRIVATE KEY-----\n-----END PRIVATE KEY")[1] == 1
    for size in range(11, 32):
        out, _ = redaction.redact("\ufeff" + "-----BEGIN RSA PRIVATE KEY-----"[:size] + " PRIVATE KEY")
        assert redaction.redact(out) == (out, 0)


def test_a_numbered_key_block_as_a_tool_prints_it_goes_whole():
    block = Maker(29).key_block(end=False).split("\n")
    out, _ = redaction.redact("\n".join(f"{n:6}\u2192{line}" for n, line in enumerate(block, 1)))
    assert not any(line in out for line in block[1:])


def test_tokens_for_the_web_go_and_source_maps_stay():
    token = Maker(31).web_token()
    assert redaction.redact(f"token {token}.") == ("token [redacted:jwt].", 1)
    kept = (
        "//# sourceMappingURL=data:application/json;base64,"
        + base64.b64encode(b'{"version":3,"sources":["a.ts"]}').decode()
    )
    assert redaction.redact(kept) == (kept, 0)


def test_a_token_split_by_zero_width_letters_or_a_line_join_is_still_seen():
    maker = Maker(37)
    token = maker.secret("github")
    for gap in ("\u200b", "\u2060", "\ufeff", "\\\n", "\\\n    ", "\\\r\n"):
        out, count = redaction.redact(f"export GH={token[:20]}{gap}{token[20:]} # end")
        assert count == 1
        assert token[24:] not in out
        assert out.endswith(" # end")


def test_one_layer_of_base64_hides_nothing():
    maker = Maker(41)
    for kind in ("github", "stripe", "dotenv", "url postgres"):
        _, text = maker.text(kind)
        wrapped = base64.b64encode(text.encode()).decode()
        assert wrapped not in redaction.redact(f"echo {wrapped} | base64 -d")[0]
    kubeconfig = base64.b64encode(maker.key_block().encode()).decode()
    assert kubeconfig not in redaction.redact(f"client-key-data: {kubeconfig}")[0]


def of_every_kind(seed):
    maker = Maker(seed)
    return [maker.text(kind) for kind in sorted(SPECS)]


def test_what_is_written_in_percent_signs_is_seen_as_what_it_stands_for():
    texts = [(secret, text) for secret, text in of_every_kind(31) if text.isascii()]
    coded = [f"https://x.example/search?q={quote(text, safe='')}&page=2" for _, text in texts]
    assert [text for (_, text), code in zip(texts, coded, strict=True) if not redaction.redact(code)[1]] == []
    left = [secret for (secret, _), code in zip(texts, coded, strict=True) if quote(secret, safe="") in redaction.redact(code)[0]]
    assert left == []


@pytest.mark.parametrize("text", ["100% of 20% and 5%25", "printf('%d%%20s', n)", "width: 50%;", "https://x.example/a%20b%2Fc?q=d%C3%A9j%C3%A0", "%", "%2", "%zz"])
def test_percent_signs_of_other_kinds_stay(text):
    assert redaction.redact(text) == (text, 0)


@pytest.mark.parametrize("head", ["", "    ", "> ", "# "])
def test_base64_in_lines_hides_nothing(head):
    texts = [text for _, text in of_every_kind(32) if text.isascii()]
    for text in texts:
        lines = base64.encodebytes(f"a first line of words, then {text} and a last one of words".encode()).decode().split("\n")
        block = "before\n" + "".join(f"{head}{line}\n" for line in lines if line) + "after"
        clean, count = redaction.redact(block)
        assert count, text
        assert not any(line in clean for line in lines if len(line) > 40)
        assert clean.startswith("before\n")
        assert clean.endswith("\nafter")


def test_base64_in_lines_of_anything_else_stays():
    block = base64.encodebytes(("A picture, in words: nothing to see here. " * 30).encode()).decode()
    assert redaction.redact(block) == (block, 0)


def test_every_value_of_a_kubernetes_secret_goes_strong_or_not():
    word = base64.b64encode(b"hunter").decode()
    text = f"apiVersion: v1\nkind: Secret\nmetadata:\n  name: app\ndata:\n  user: {word}\n  other: {word}\n"
    out, count = redaction.redact(text)
    assert count == 2
    assert word not in out
    assert "name: app" in out
    assert redaction.is_cluster_secret(text)
    assert not redaction.is_cluster_secret("a kind: Secret sauce recipe")


def test_a_seed_phrase_goes_and_a_sentence_stays():
    words = "ozone drill grab fiber curtain grace pudding thank cruise elder eight fence"
    assert redaction.redact(f"seed phrase: {words}.") == ("seed phrase: [redacted:seed-phrase].", 1)
    kept = "mnemonic: a short word that helps you to keep a long list of things in mind"
    assert redaction.redact(kept) == (kept, 0)


def test_the_marker_names_the_kind_and_nothing_of_the_value():
    maker = Maker(43)
    assert redaction.redact(f"use {maker.secret('github')} here") == ("use [redacted:github-pat] here", 1)
    assert redaction.redact(f"use {maker.secret('anthropic')} here") == (
        "use [redacted:anthropic-key] here",
        1,
    )


def test_the_second_layer_knows_what_only_gitleaks_knows():
    maker = Maker(47)
    text = f'adafruit_token = "{maker.body("abcdefghijklmnopqrstuvwxyz0123456789_-", 32)}"'
    out, count = redaction.deep(text)
    assert count == 1
    assert "[redacted:" in out
    assert redaction.deep(out) == (out, 0)


def test_every_rule_of_the_second_layer_compiles_on_re2_and_has_a_word_to_look_for():
    import re2

    rules = json.loads((ROOT / "ultan" / "gitleaks.json").read_text(encoding="utf-8"))
    assert "MIT License" in rules["licence"]
    assert len(rules["rules"]) >= 200
    for name, pattern, bits, group, words in rules["rules"]:
        assert words, name
        assert isinstance(bits, (int, float)), name
        assert re2.compile(pattern).groups >= group, name


@pytest.mark.parametrize(
    "path",
    [
        ".env", "app/.env.local", "prod.env", "~/.ssh/id_rsa", "id_ed25519", "tls/server.pem", "a.key", ".netrc", "C:\\u\\.env",
        "credentials.json", ".aws/credentials", ".credentials.json", "vault.kdbx", ".pgpass", ".npmrc", "/home/a/.docker/config.json",
        "/home/a/.kube/config", "/etc/shadow", "terraform.tfstate", "secrets.yaml", ".git-credentials", "/home/a/.ssh/deploy",
    ],
)  # fmt: skip
def test_places_for_credentials_are_known_by_their_path(path):
    assert redaction.is_sensitive_path(path)
    assert redaction.names_sensitive_path(f"cat {path.replace(chr(92), '/')}; ls")


@pytest.mark.parametrize(
    "path",
    ["README.md", ".env.example", "id_ed25519.pub", "src/credentials.py", "id_generator.py", "keys.md", "app/environment.ts", "",
     "~/.ssh/config", "tests/test_secrets.py", "Dockerfile", "monkey.txt"],
)  # fmt: skip
def test_ordinary_files_are_not_taken_for_places_of_credentials(path):
    assert not redaction.is_sensitive_path(path)
    assert not redaction.names_sensitive_path(f"cat {path} | head")


def test_private_spans_go_nested_unclosed_and_in_any_case():
    assert redaction.strip_private("a <private>x</private> b") == ("a  b", 1)
    assert redaction.strip_private("a <PRIVATE>x <private>y</private> z</Private> b") == ("a  b", 1)
    assert redaction.strip_private("a <private>x") == ("a ", 1)
    assert redaction.strip_private("İ <private>x</private> c") == ("İ  c", 1)
    assert redaction.strip_private("nothing here </private>") == ("nothing here </private>", 0)


def test_text_that_would_move_the_cursor_write_the_clipboard_or_hide_is_made_inert():
    assert redaction.neutral("a\x1b[31mred\x1b[0m b") == ("ared b".replace("ared", "ared"), 9)
    assert redaction.neutral("x\x1b]52;c;ZXZpbA==\x07y")[0] == "xy"
    assert redaction.neutral("x\x1b]8;;http://evil\x1b\\link\x1b]8;;\x1b\\y")[0] == "xlinky"
    assert redaction.neutral("x\x9b31my\x1bPq#0\x1b\\z")[0] == "xyz"
    assert redaction.neutral("a\u202eb\u2066c\u200bd\ufeffe")[0] == "abcde"
    assert (
        redaction.neutral("order" + "".join(chr(0xE0000 + ord(letter)) for letter in "rm -rf"))[0] == "order"
    )
    assert redaction.neutral("line\r\nnext\rover\x00\x07\x08") == ("line\nnextover", 4)
    assert redaction.neutral("caf\u00e9 \u6f22\u5b57 \U0001f469 \u2764\ufe0f\tok\n") == (
        "caf\u00e9 \u6f22\u5b57 \U0001f469 \u2764\ufe0f\tok\n",
        0,
    )
    assert redaction.neutral("\x1b]0;never closed\nnext line")[0] == "\nnext line"
    assert redaction.neutral("\x1b") == ("", 1)


@given(st.text(max_size=400))
def test_any_text_becomes_inert_and_stays_so(text):
    kept, count = redaction.neutral(text)
    assert count >= 0
    assert redaction.neutral(kept) == (kept, 0)
    assert not any(letter < " " and letter not in "\n\t" for letter in kept)


@given(
    st.lists(
        st.sampled_from(
            ["password", "token", "=", ": ", " ", '"', "\\", "\n", "is", "[redacted:", "]", "key", "sk-", "ghp_", "://", "@", ":", "-p",
             "curl -u ", "Bearer ", "a1B2c3D4e5F6g7H8i9J0", "hunter22", "-----BEGIN RSA PRIVATE KEY-----", "eyJ", ".", "\u200b", "\u5bc6\u7801",
             "kind: Secret", "data:", "A" * 40, "\\u0041", "%3D", "\u0130"]
        ),
        max_size=30,
    ).map("".join)
)  # fmt: skip
def test_any_mixture_of_our_own_words_is_redacted_once_and_for_all(text):
    once, count = redaction.redact(text)
    assert count >= 0
    assert redaction.redact(once) == (once, 0)


@given(st.text(max_size=300))
def test_any_text_at_all_can_be_redacted(text):
    once, _ = redaction.redact(text)
    assert redaction.redact(once) == (once, 0)


def test_a_hook_pays_for_no_pattern_and_no_slow_module():
    told = "x = 'password: hunter22abc' + 'token' * 9"
    code = f"import sys; from ultan import redaction; redaction.redact({told!r}); print(*sorted(sys.modules))"
    seen = subprocess.run(
        [sys.executable, "-I", "-S", "-c", f"import sys; sys.path.insert(0, {str(ROOT)!r}); {code}"],
        capture_output=True, text=True, check=True,
    ).stdout.split()  # fmt: skip
    assert not {"re", "re2", "json", "typing", "hashlib", "pathlib"} & set(seen), seen


# --- the independent list, where it lies beside the checkout -------------------------------------------

SHARED = Path(os.environ.get("ULTAN_SHARED", ROOT.parent / "shared"))


@pytest.fixture
def outside(monkeypatch):
    tools = SHARED / "tools"
    if not (tools / "fake_secrets.py").exists():
        pytest.skip(f"the independent list of secrets is not at {tools} (set ULTAN_SHARED)")
    monkeypatch.syspath_prepend(str(tools))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    import fake_secrets

    return fake_secrets


def test_the_independent_list_is_found_in_plain_context(outside):
    kinds = outside.all_kinds()
    missed = [
        kind for kind, (secret, form) in kinds.items() if secret in redaction.redact(form.format(secret))[0]
    ]
    assert len(kinds) == 138
    assert missed == []


def test_the_independent_list_is_found_in_nineteen_of_twenty_contexts(outside):
    tried, missed = 0, []
    for kind, (secret, form) in outside.all_kinds().items():
        whole = form.format(secret)
        texts = [form.format(secret + sign) for sign in (".", ",", ")", "&", ":", "\u4e16\u754c")]
        texts += [f"`{whole}`", f"- **x**: {whole}\n- y", f"2026-10-02 INFO [{whole}] done", f"({whole})"]
        forms = [(secret, text) for text in texts]
        forms.append((json.dumps(secret)[1:-1], json.dumps({"out": whole})))
        twice = json.dumps(json.dumps(secret)[1:-1])[1:-1]
        forms.append((twice, json.dumps(json.dumps({"out": whole}))))
        for hidden, text in forms:
            tried += 1
            if hidden in redaction.redact(text)[0]:
                missed.append((kind, text[:80]))
    assert tried == 138 * 12
    assert len(missed) <= 0.05 * tried, missed


def test_the_independent_texts_that_must_stay_stay(outside):
    texts = outside.must_keep()
    assert len(texts) == 40
    assert [name for name, text in texts.items() if redaction.redact(text) != (text, 0)] == []
    assert [name for name, text in texts.items() if redaction.deep(text) != (text, 0)] == []
