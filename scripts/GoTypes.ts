/** The types of the Go client, as `gofmt` writes them. */
import {
  errorCodesOf,
  type Field,
  type FieldType,
  modelOf,
  pascalCase,
  type Structure
} from "./ClientModel.ts"

/** Words that Go writes in capitals. */
const goName = (name: string): string =>
  pascalCase(name).replaceAll(/(Id|Ip|Otp)(?=[A-Z]|$)/g, (word) =>
    word === "Otp" ? word : word.toUpperCase()
  )

const SCALARS = {
  text: "string",
  integer: "int64",
  number: "float64",
  flag: "bool",
  map: "map[string]any",
  any: "any"
} as const

const goType = (type: FieldType): string =>
  type.kind === "list" ? `[]${goType(type.of)}` : type.kind === "structure" ? type.name : SCALARS[type.kind]

/** Fields of a request that are not set are left out: none of them means anything when it is empty. */
const fieldType = ({ type, mayBeNull }: Field, isRequest: boolean): string => {
  const isPlain = type.kind !== "map" && type.kind !== "any" && type.kind !== "list"
  const needsPointer = isRequest ? type.kind === "structure" : isPlain
  return mayBeNull && needsPointer ? `*${goType(type)}` : goType(type)
}

const tagOf = ({ name, isRequired }: Field, isRequest: boolean) =>
  `\`json:"${name}${isRequest && !isRequired ? ",omitempty" : ""}"\``

const comment = (text: string, indent = "") =>
  text === "" ? [] : [`${indent}// ${text.replaceAll("\n", " ")}`]

/** Blocks of fields without comments between them are aligned, as gofmt does. */
const fieldLines = (fields: ReadonlyArray<Field>, isRequest: boolean): ReadonlyArray<string> => {
  const parts = fields.map((field) => ({
    comment: comment(field.description, "\t"),
    columns: [goName(field.name), fieldType(field, isRequest), tagOf(field, isRequest)] as const
  }))
  const blockOf: Array<number> = []
  for (const [at, part] of parts.entries())
    blockOf.push(at > 0 && part.comment.length === 0 ? (blockOf[at - 1] ?? 0) : at)
  return parts.flatMap(({ comment: above, columns: [name, type, tag] }, at) => {
    const block = parts.filter((_, other) => blockOf[other] === blockOf[at])
    const widthOf = (column: 0 | 1) => Math.max(...block.map(({ columns }) => columns[column].length))
    return [...above, `\t${name.padEnd(widthOf(0))} ${type.padEnd(widthOf(1))} ${tag}`]
  })
}

const structureText = ({ name, isRequest, description, fields }: Structure): string =>
  [
    ...comment(`${name}: ${description === "" ? "as in the API." : description}`),
    `type ${name} struct {`,
    ...fieldLines(fields, isRequest),
    "}"
  ].join("\n")

export const goTypes = (document: unknown): string => {
  const codes = errorCodesOf(document).map((code) => [`Code${goName(code)}`, code] as const)
  const width = Math.max(...codes.map(([name]) => name.length))
  return `// Code generated from openapi.json by npm run generate; DO NOT EDIT.

package peyk

// Codes of the API's errors.
const (
${codes.map(([name, code]) => `\t${name.padEnd(width)} = "${code}"`).join("\n")}
)

${modelOf(document).map(structureText).join("\n\n")}
`
}
