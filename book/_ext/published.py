"""Where the book is published, from one setting, the address of its repository; without it nothing here is made."""

from __future__ import annotations

import os
import re
import subprocess
import textwrap
from datetime import datetime
from functools import partial
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.errors import ConfigError
from sphinx.util import logging

_FEED = "changes.xml"
_LOST = "<h1>Not found</h1><p>There is no such page. Begin at the <a href='index.html'>first one</a>, or search.</p>"
# Without settings, grafts and a hook's environment, which change what git says; who builds a folder runs its code,
# whosever it is.
_GIT = ("git", "--no-pager", "--no-replace-objects", "-c", "safe.directory=*")
_BLAMED = re.compile(r"^author-time (\d+)\nauthor-tz ([+-]\d{4})\n(?:[^\t].*\n)*\t(.*)$", re.MULTILINE)


def site_of(repository: str) -> str:
    """Return where a repository on GitHub or GitLab has its pages."""
    found = re.fullmatch(r"https://(github|gitlab)\.com/([\w-]+)/([\w.-]+)", repository)
    if not found:
        raise ConfigError(f"PRIVATE_BANDITS_REPOSITORY must be https://github.com/OWNER/NAME, got {repository!r}")
    host, owner, name = found.groups()
    root = f"{owner.lower()}.{host}.io"
    return f"https://{root}/" if name.lower() == root else f"https://{root}/{name}/"


def connect(app: Sphinx, config: Config) -> None:
    """Link the repository in header and footer, and make what needs an address."""
    if not config.repository:
        return
    config.html_baseurl = site = site_of(config.repository)
    options = config.html_theme_options
    options |= {"repository_url": config.repository, "repository_branch": "main", "use_repository_button": True}
    options |= {"use_issues_button": True, "use_edit_page_button": True}
    options["launch_buttons"] = {"binderhub_url": "https://mybinder.org", "notebook_interface": "jupyterlab"}
    links = {"Source": config.repository, "report an error": f"{config.repository}/issues"}
    links |= {"the book as PDF": f"{site}private-bandits.pdf"}
    points = changes(Path(app.confdir) / "CHANGELOG.md")[:30]
    if points:
        links |= {"changes as a feed": site + _FEED}
        app.connect("html-page-context", offer, priority=600)
        app.connect("build-finished", partial(tell, points=points))
    joined = ", ".join(f'<a href="{target}">{words}</a>' for words, target in links.items())
    options["extra_footer"] = options.get("extra_footer", "") + f"<p>{joined}.</p>"
    app.connect("html-collect-pages", lambda app: [("404", {"title": "Not found", "body": _LOST}, "page.html")])
    app.connect("html-page-context", root, priority=600)
    app.connect("build-finished", announce)


def fill(app: Sphinx, docname: str, source: list[str]) -> None:
    """Fill in `{repository}`; a line that asks for it is left out where it is unknown."""
    known, lines = app.config.repository, source[0].splitlines(keepends=True)
    source[0] = "".join(line.replace("{repository}", known) for line in lines if known or "{repository}" not in line)


def offer(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None) -> None:
    """Let a page name the feed."""
    feed = f"{app.config.html_baseurl}{_FEED}"
    context["metatags"] = (
        context.get("metatags", "")
        + f'\n<link rel="alternate" type="application/atom+xml" title="Changes" href="{feed}" />'
    )


def root(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None) -> None:
    """Let the page of what is not found, which is served at any depth, name its root."""
    if page == "404":
        context["metatags"] = f'<base href="{app.config.html_baseurl}" />'


def tell(app: Sphinx, error: Exception | None, points: list[tuple[datetime, str]]) -> None:
    """Write the feed."""
    if not error and app.builder.format == "html":
        _write(Path(app.outdir) / _FEED, feed(app.config.html_baseurl, app.config.html_title, points))


def announce(app: Sphinx, error: Exception | None) -> None:
    """Write the sitemap, and the addresses into the citation."""
    if error or app.builder.format != "html":
        return
    site, out = app.config.html_baseurl, Path(app.outdir)
    names = sorted(f"{page}.html" for page in app.env.all_docs)  # and none that an earlier build has left
    pages = "".join(f"<url><loc>{site}{name}</loc></url>\n" for name in names)
    space = "http://www.sitemaps.org/schemas/sitemap/0.9"
    _write(out / "sitemap.xml", f'<urlset xmlns="{space}">\n{pages}</urlset>\n')
    for citation in out.glob("_downloads/*/CITATION.cff"):
        with citation.open("a", encoding="utf-8") as file:
            file.write(f'repository-code: "{app.config.repository}"\nurl: "{site}"\n')


def changes(changelog: Path) -> list[tuple[datetime, str]]:
    """Return the committed points of a changelog with the time of their last edit, the newest first.

    There are none where their times are unknown: outside a repository, or in one without its history.
    """
    points: list[tuple[datetime, str]] = []
    words = ("--line-porcelain", "--encoding=UTF-8", "--no-textconv", "--ignore-revs-file=")
    blamed = _git(changelog.parent, "blame", *words, "HEAD", changelog.name)
    for seconds, zone, text in _BLAMED.findall(blamed):
        when = datetime.fromtimestamp(int(seconds), datetime.strptime(zone, "%z").tzinfo)
        if text.startswith("- "):
            points.append((when, text[2:]))
        elif text.startswith("  ") and points:
            points[-1] = max(when, points[-1][0]), f"{points[-1][1]} {text.strip()}"
    if not points or _git(changelog.parent, "rev-parse", "--is-shallow-repository") != "false\n":
        logging.getLogger(__name__).info("no feed of changes: git does not know when they were made")
        return []
    return sorted(points, key=lambda point: point[0], reverse=True)


def _git(folder: Path, *words: str) -> str:
    """Return what git says about a folder; nothing where there is no git, or it knows nothing of the folder."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    env |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_GRAFT_FILE": os.devnull}
    try:
        done = subprocess.run(
            [*_GIT, *words], cwd=folder, capture_output=True, env=env, encoding="utf-8", errors="replace"
        )
    except OSError:
        return ""
    return done.stdout if done.returncode == 0 else ""


def feed(site: str, title: str, points: list[tuple[datetime, str]]) -> str:
    """Return an Atom feed."""
    page = f"{site}book/changelog.html"
    entries = "".join(
        f"<entry><id>{page}#{sha256(text[:60].encode()).hexdigest()[:12]}</id>"
        f'<link href="{page}"/><updated>{when.isoformat()}</updated>'
        f"<title>{escape(textwrap.shorten(text, 100, placeholder=' …'))}</title>"
        f'<content type="text">{escape(text)}</content></entry>\n'
        for when, text in points
    )
    return (
        f'<feed xmlns="http://www.w3.org/2005/Atom"><id>{site}</id><title>{escape(title)}: changes</title>'
        f'<author><name>The Private Bandits contributors</name></author><link rel="self" href="{site}{_FEED}"/>'
        f"<updated>{points[0][0].isoformat()}</updated>\n{entries}</feed>\n"
    )


def _write(path: Path, xml: str) -> None:
    path.write_text(f'<?xml version="1.0" encoding="utf-8"?>\n{xml}', encoding="utf-8")


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_config_value("repository", os.environ.get("PRIVATE_BANDITS_REPOSITORY", ""), "env", str)
    app.connect("config-inited", connect, priority=0)
    app.connect("source-read", fill)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
