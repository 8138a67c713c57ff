import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

export interface Certificate {
  readonly key: string
  readonly cert: string
}

/** A certificate of its own authority, for a name. */
export const makeCertificate = (name: string): Certificate => {
  const folder = mkdtempSync(join(tmpdir(), "peyk-certificate-"))
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")]
  const options = `-x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=${name}`
  const files = `-addext subjectAltName=DNS:${name} -keyout ${key} -out ${cert}`
  execFileSync("openssl", `req ${options} ${files}`.split(" "), { stdio: "ignore" })
  const made = { key: readFileSync(key, "utf8"), cert: readFileSync(cert, "utf8") }
  rmSync(folder, { recursive: true })
  return made
}
