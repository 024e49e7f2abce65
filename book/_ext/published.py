"""Where the book is published, from one setting, the address of its repository; without it nothing here is made."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.errors import ConfigError

_LOST = "<h1>Not found</h1><p>There is no such page. Begin at the <a href='index.html'>first one</a>, or search.</p>"


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
    links |= {"changes": f"{config.repository}/commits/main/CHANGELOG.md"}
    joined = ", ".join(f'<a href="{target}">{words}</a>' for words, target in links.items())
    options["extra_footer"] = options.get("extra_footer", "") + f"<p>{joined}.</p>"
    app.connect("html-collect-pages", lambda app: [("404", {"title": "Not found", "body": _LOST}, "page.html")])
    app.connect("html-page-context", root, priority=600)
    app.connect("build-finished", announce)


def fill(app: Sphinx, docname: str, source: list[str]) -> None:
    """Fill in `{repository}`; a line that asks for it is left out where it is unknown."""
    known, lines = app.config.repository, source[0].splitlines(keepends=True)
    source[0] = "".join(line.replace("{repository}", known) for line in lines if known or "{repository}" not in line)


def root(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None) -> None:
    """Let the page of what is not found, which is served at any depth, name its root."""
    if page == "404":
        context["metatags"] = f'<base href="{app.config.html_baseurl}" />'


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


def _write(path: Path, xml: str) -> None:
    path.write_text(f'<?xml version="1.0" encoding="utf-8"?>\n{xml}', encoding="utf-8")


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_config_value("repository", os.environ.get("PRIVATE_BANDITS_REPOSITORY", ""), "env", str)
    app.connect("config-inited", connect, priority=0)
    app.connect("source-read", fill)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
