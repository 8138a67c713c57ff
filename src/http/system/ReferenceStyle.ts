import { html } from "../console/frame/Html.ts"

/** The radio buttons at the top choose whose examples are shown. */
export const REFERENCE_STYLE = html`<style>
  :root {
    color-scheme: light dark;
    --line: light-dark(#ddd, #3a3f47);
    --soft: light-dark(#f5f6f8, #1c2026);
    --link: light-dark(#0b5cad, #7db7f5);
  }
  body {
    margin: 0;
    font:
      16px/1.5 system-ui,
      sans-serif;
    padding: 0.5rem 1rem 4rem;
  }
  a {
    color: var(--link);
  }
  h3 a {
    color: inherit;
    text-decoration: none;
  }
  header label {
    margin-inline-end: 0.75rem;
  }
  .document {
    float: right;
  }
  nav {
    border-bottom: 1px solid var(--line);
    padding: 0.5rem 0;
  }
  nav a {
    display: block;
    padding: 0.15rem 1rem;
    font-size: 0.9rem;
  }
  summary {
    cursor: pointer;
    font-weight: 600;
  }
  article {
    border-top: 1px solid var(--line);
    padding: 1rem 0;
  }
  code,
  pre {
    font:
      0.875em ui-monospace,
      monospace;
    overflow-wrap: anywhere;
  }
  pre {
    background: var(--soft);
    padding: 0.75rem;
    white-space: pre-wrap;
    border-radius: 6px;
    display: none;
  }
  dt {
    margin-top: 0.4rem;
  }
  dd {
    margin: 0 0 0 1rem;
    opacity: 0.85;
  }
  th {
    text-align: start;
    vertical-align: top;
    padding-inline-end: 1rem;
  }
  header {
    position: sticky;
    top: 0;
    z-index: 1;
    background: Canvas;
    padding: 0.5rem 0;
  }
  article,
  h3 {
    scroll-margin-top: 3rem;
  }
  body:has(#show-curl:checked) .curl,
  body:has(#show-typescript:checked) .typescript,
  body:has(#show-python:checked) .python,
  body:has(#show-php:checked) .php {
    display: block;
  }
  @media (min-width: 70rem) {
    nav {
      position: fixed;
      inset: 3rem auto 0 0;
      width: 17rem;
      overflow: auto;
      border: 0;
      padding: 0 1rem;
    }
    main {
      margin-inline-start: 19rem;
    }
    article {
      display: grid;
      grid-template-columns: 1fr 1fr;
      gap: 2rem;
    }
    .code {
      position: sticky;
      top: 1rem;
      align-self: start;
    }
  }
</style>`
