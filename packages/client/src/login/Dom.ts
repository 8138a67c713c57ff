/** Makes elements without markup in text, so that a page may forbid inline code and untrusted HTML. */

type Attributes = Readonly<Record<string, string>>

export const h = <Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: ReadonlyArray<Node | string>
): HTMLElementTagNameMap[Name] => {
  const element = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value)
  element.append(...children)
  return element
}

/** Only if it differs: a screen reader would read it again, and a caret would move. */
export const setText = (element: Element, text: string): void => {
  if (element.textContent !== text) element.textContent = text
}

const styled = new WeakSet<Document>()

/** A style sheet of the document. Unlike a `<style>`, a policy without `unsafe-inline` allows it. */
export const addStyle = (css: string): void => {
  if (styled.has(document)) return
  styled.add(document)
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(css)
  document.adoptedStyleSheets = [sheet, ...document.adoptedStyleSheets]
}
