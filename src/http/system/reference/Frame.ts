/** The frame of each page of the reference: its head, the links to the site, and the list of operations. */
import { html, type Html } from "../../console/frame/Html.ts"
import { assetPath } from "../../console/ConsoleAssets.ts"
import { CONSOLE_PATH } from "../../console/ConsolePaths.ts"
import type { Group } from "./ApiDocument.ts"
import { keyOf, LANGUAGES } from "./Calls.ts"

export const REFERENCE_PATH = "/docs/api"
export const ASSETS_PATH = `${REFERENCE_PATH}/assets` as const

/** The paths of the pages that are not a group's. */
export const START = ""
export const ERRORS = "errors"

export const pathTo = (slug: string, id?: string): string =>
  `${REFERENCE_PATH}${slug === START ? "" : `/${slug}`}${id === undefined ? "" : `#${id}`}`

const MANAGEMENT = /^Management: /

/** The name of a group where it stands below a heading. */
export const shortName = ({ tag }: Group): string => {
  const name = tag.name.replace(MANAGEMENT, "")
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`
}

export interface Section {
  readonly title: string
  readonly groups: ReadonlyArray<Group>
}

/** Groups under headings: what backends call, what sets a customer up, and the rest. */
export const sectionsOf = (groups: ReadonlyArray<Group>): ReadonlyArray<Section> => {
  const isManagement = ({ tag }: Group) => MANAGEMENT.test(tag.name)
  const isOther = ({ operations }: Group) =>
    operations.every(({ path, isWebhook }) => isWebhook || !/^\/v1\/(?!auth)/.test(path))
  const sections = [
    { title: "Send and verify", groups: groups.filter((each) => !isManagement(each) && !isOther(each)) },
    { title: "Manage an account", groups: groups.filter(isManagement) },
    {
      title: "Events, sign-in, system",
      groups: groups.filter((each) => !isManagement(each) && isOther(each))
    }
  ]
  return sections.filter((section) => section.groups.length > 0)
}

const groupLink = (group: Group, current: string): Html => {
  const isCurrent = group.slug === current
  return html`<li>
    <a href="${pathTo(group.slug)}" ${isCurrent && html`aria-current="page"`}>${shortName(group)}</a>
    ${
      isCurrent &&
      html`<ul>
        ${group.operations.map(
          ({ operation }) =>
            html`<li>
              <a href="#${operation.operationId}">${operation.summary ?? operation.operationId}</a>
            </li>`
        )}
      </ul>`
    }
  </li>`
}

const navigation = (groups: ReadonlyArray<Group>, current: string): Html => {
  const own = (slug: string, title: string) =>
    html`<li><a href="${pathTo(slug)}" ${slug === current && html`aria-current="page"`}>${title}</a></li>`
  return html`<ul>
      ${own(START, "Start")} ${own(ERRORS, "Error codes")}
    </ul>
    ${sectionsOf(groups).map(
      (section) =>
        html`<h2>${section.title}</h2>
          <ul>
            ${section.groups.map((group) => groupLink(group, current))}
          </ul>`
    )}`
}

/** Without scripts these choose whose examples are shown; with them the tabs at each example do. */
const languageChoice = html`<fieldset class="language-choice">
  <legend class="hidden">Language of the examples</legend>
  ${LANGUAGES.map(
    (language) =>
      html`<label
        ><input
          type="radio"
          name="language"
          value="${language}"
          id="show-${keyOf(language)}"
          ${language === "curl" && html`checked`}
        />${language}</label
      >`
  )}
</fieldset>`

const icon = (paths: Html): Html =>
  html`<svg viewBox="0 0 24 24" width="18" height="18" aria-hidden="true">${paths}</svg>`

const searchIcon = icon(html`<circle cx="11" cy="11" r="6"></circle><path d="m20 20-4.500-4.500"></path>`)
const moon = icon(html`<path d="M20 14.5A8 8 0 0 1 9.500 4a8 8 0 1 0 10.500 10.500z"></path>`)
const sun = icon(
  html`<circle cx="12" cy="12" r="4"></circle
    ><path
      d="M12 3v2M12 19v2M3 12h2M19 12h2M5.600 5.600l1.400 1.400M17 17l1.400 1.400M5.600 18.400l1.400-1.400M17 7l1.400-1.400"
    ></path>`
)
const menu = icon(html`<path d="M4 7h16M4 12h16M4 17h16"></path>`)

const elsewhere = [
  ["/docs", "Documentation"],
  [CONSOLE_PATH, "Console"],
  ["/openapi.json", "OpenAPI"]
] as const

const header = html`<header>
  <a class="brand" href="/docs">
    <svg viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">
      <rect width="24" height="24" rx="6"></rect>
      <path d="M5.5 11.8 18.5 6l-3.7 12-3.5-5zM11.3 13l7.2-7"></path>
    </svg>
    <span>Peyk</span>
  </a>
  <a class="here" href="${REFERENCE_PATH}">API reference</a>
  <button class="search-open" type="button" data-search-open aria-keyshortcuts="/ Control+K" hidden>
    ${searchIcon}<span>Search</span><kbd aria-hidden="true">/</kbd>
  </button>
  <nav class="elsewhere" aria-label="Elsewhere">
    ${elsewhere.map(([path, name]) => html`<a href="${path}">${name}</a>`)}
  </nav>
  <button class="theme" type="button" data-theme-switch aria-label="Light or dark" hidden>
    <span class="to-dark">${moon}</span><span class="to-light">${sun}</span>
  </button>
</header>`

const searchDialog = html`<dialog class="search" data-search aria-label="Search the reference">
  <div class="search-head">
    ${searchIcon}
    <input
      type="search"
      role="combobox"
      aria-expanded="false"
      aria-controls="search-results"
      aria-autocomplete="list"
      aria-label="Search the reference"
      placeholder="An operation, a field or an error code"
      autocomplete="off"
      spellcheck="false"
    />
    <button type="button" data-search-close>Close</button>
  </div>
  <p class="search-status" role="status"></p>
  <div id="search-results" class="search-results" role="listbox" aria-label="Results"></div>
  <p class="search-hint" aria-hidden="true">↑ ↓ choose · Enter open · Esc close</p>
</dialog>`

const STYLES = ["fonts", "reference", "search", "code", "lists", "operation"]

export interface ReferencePage {
  readonly slug: string
  readonly title: string
  readonly description: string
  readonly content: Html
}

/**
 * A whole page. Nothing in it is inline.
 *
 * @param assets the path of its style and scripts
 */
export const framed = (
  { slug, title, description, content }: ReferencePage,
  groups: ReadonlyArray<Group>,
  assets: string
): string =>
  `<!doctype html>\n${html`<html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <meta name="description" content="${description}" />
      <title>${title} · Peyk API</title>
      <link rel="icon" href="${assetPath("icon.svg")}" type="image/svg+xml" />
      ${STYLES.map((name) => html`<link rel="stylesheet" href="${assets}/${name}.css" />`)}
      <script src="${assets}/theme.js"></script>
      <script type="module" src="${assets}/reference.js"></script>
    </head>
    <body data-page="${slug}">
      <a class="skip" href="#content">Skip to content</a>
      ${header}
      <details class="drawer">
        <summary>${menu}<span>All operations</span></summary>
        <nav aria-label="Operations, in a drawer">
          ${navigation(groups, slug)}
          <h2>Elsewhere</h2>
          <ul>
            ${elsewhere.map(([path, name]) => html`<li><a href="${path}">${name}</a></li>`)}
          </ul>
        </nav>
      </details>
      <div class="shell">
        <nav class="side" aria-label="Operations">${navigation(groups, slug)}</nav>
        <main id="content" tabindex="-1">${languageChoice} ${content}</main>
      </div>
      ${searchDialog}
    </body>
  </html>`}\n`
