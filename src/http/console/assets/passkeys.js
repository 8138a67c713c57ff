/** Forms whose answer a passkey gives: `data-passkey` says whether one is made or used, and `data-options` how. */

const toBytes = (text) =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0))

const toText = (buffer) =>
  btoa(String.fromCharCode(...new Uint8Array(buffer)))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "")

const withBytes = (credentials = []) => credentials.map((each) => ({ ...each, id: toBytes(each.id) }))

const make = async (options) => {
  const credential = await navigator.credentials.create({
    publicKey: {
      ...options,
      challenge: toBytes(options.challenge),
      user: { ...options.user, id: toBytes(options.user.id) },
      excludeCredentials: withBytes(options.excludeCredentials)
    }
  })
  const { attestationObject } = credential.response
  const transports = credential.response.getTransports?.() ?? []
  return { credential, more: { attestationObject: toText(attestationObject), transports } }
}

const use = async (options) => {
  const credential = await navigator.credentials.get({
    publicKey: {
      ...options,
      challenge: toBytes(options.challenge),
      allowCredentials: withBytes(options.allowCredentials)
    }
  })
  const { authenticatorData, signature } = credential.response
  return { credential, more: { authenticatorData: toText(authenticatorData), signature: toText(signature) } }
}

const answer = async (form) => {
  const options = JSON.parse(form.dataset.options)
  const { credential, more } = await (form.dataset.passkey === "make" ? make(options) : use(options))
  return JSON.stringify({
    id: credential.id,
    rawId: toText(credential.rawId),
    type: credential.type,
    clientExtensionResults: {},
    response: { clientDataJSON: toText(credential.response.clientDataJSON), ...more }
  })
}

const prepare = (form) => {
  const problems = [...form.querySelectorAll("[role=alert][hidden]")]
  const problemOf = ({ name }) => {
    const isKnown = name === "InvalidStateError"
    return problems.find((each) => each.matches("[data-known]") === isKnown) ?? problems[0]
  }
  form.addEventListener("submit", async (event) => {
    event.preventDefault()
    for (const each of problems) each.hidden = true
    try {
      form.elements.namedItem("passkey").value = await answer(form)
      form.submit()
    } catch (error) {
      problemOf(error).hidden = false
    }
  })
  form.hidden = false
}

if (window.PublicKeyCredential === undefined)
  for (const note of document.querySelectorAll("[data-without-passkeys]")) note.hidden = false
else for (const form of document.querySelectorAll("form[data-passkey]")) prepare(form)
