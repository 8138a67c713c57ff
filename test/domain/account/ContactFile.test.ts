import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Result, Schema } from "effect"
import { readContacts } from "../../../src/domain/account/Contacts.ts"
import type { Problem } from "../../../src/domain/Problem.ts"
import { textOf } from "../../../src/domain/ProblemTexts.ts"
import { parseContactPhone, parsePhone, Phone } from "../../../src/domain/Phone.ts"

const inWords = (problems: ReadonlyArray<Problem>): string => problems.map(textOf).join("; ")
const read = (...lines: ReadonlyArray<string>) => Result.getOrThrow(readContacts(lines.join("\n")))
const mistakesOf = (...lines: ReadonlyArray<string>): string =>
  Result.match(readContacts(lines.join("\n")), {
    onFailure: inWords,
    onSuccess: () => ""
  })

const contact = (phone: string, chatId: string) => ({ phone: Phone.make(phone), chatId })
const expected = [contact("+989121234567", "42")]

describe("a contact file", () => {
  it("names its columns in the first line, in any order and case, with others between them", () => {
    assert.deepEqual(read("phone,chat_id", "09121234567,42"), expected)
    assert.deepEqual(read("Name, CHAT_ID ,Phone", "Sara, 42 , 09121234567"), expected)
  })

  it("may be as spreadsheets write it: with a byte order mark, CRLF, quotes and empty lines", () => {
    assert.deepEqual(
      read("\uFEFFphone,chat_id\r", '"09121234567","42"\r', "\r", "  ", '"+98 935 123 4567",-1001234\r', ""),
      [...expected, contact("+989351234567", "-1001234")]
    )
  })

  it("takes phones as messengers write them, and keeps those named twice", () => {
    assert.deepEqual(read("phone,chat_id", "989121234567,1", "۰۹۱۲۱۲۳۴۵۶۷,2", "00989121234567,3"), [
      contact("+989121234567", "1"),
      contact("+989121234567", "2"),
      contact("+989121234567", "3")
    ])
  })

  it("may hold commas and quotes within quotes", () => {
    assert.deepEqual(read("name,phone,chat_id", '"Rezaei, ""Sara""",09121234567,42', ',"09351234567",7'), [
      contact("+989121234567", "42"),
      contact("+989351234567", "7")
    ])
  })

  it("may have line breaks within quotes, and each mistake is shown with the line on which its row ends", () => {
    const note = '"first line\nsecond\r\nthird"'
    assert.deepEqual(read("phone,note,chat_id", `09121234567,${note},42`), expected)
    assert.strictEqual(
      mistakesOf("phone,note,chat_id", `09121234567,${note},42`, `12345,${note},43`, "09121234567,,"),
      "line 7 is not an Iranian mobile number; line 8 has no usable chat_id"
    )
  })

  it("may end its lines with LF, CRLF or CR", () => {
    for (const end of ["\n", "\r\n", "\r"]) {
      assert.deepEqual(read(["phone,chat_id", "09121234567,42", ""].join(end)), expected)
    }
  })

  it.each(['"09121234567,42', '0912"1234567,42', '"0912"1234567,42'])("refuses the quotes of %j", (line) => {
    assert.strictEqual(
      mistakesOf("phone,chat_id", line),
      "line 2 has a quote that is not closed, or inside a field"
    )
  })

  it.each([",", ";", "\t"])("may have %j between its columns", (separator) => {
    const lines = ["name,phone,chat_id", "Sara,09121234567,42"].map((line) => line.replaceAll(",", separator))
    assert.deepEqual(read(...lines), expected)
  })

  it.each(["p\0h\0o\0n\0e\0,\0", "\uFFFD\uFFFDphone,chat_id"])(
    "is refused if it is not UTF-8: %j",
    (text) => {
      assert.strictEqual(mistakesOf(text), "the file is not text in UTF-8")
    }
  )

  it("without lines holds nobody", () => {
    assert.deepEqual(read("phone,chat_id"), [])
    assert.deepEqual(read("phone,chat_id", ""), [])
  })

  it.each(["", "phone", "chat_id", "name,number", "09121234567,42"])(
    "that begins with %j is refused",
    (header) => {
      assert.strictEqual(
        mistakesOf(header, "09121234567,42"),
        "the first line has to name the columns phone and chat_id"
      )
    }
  )

  it("is all or nothing: one mistake refuses it, and each is shown with its line, the empty ones counted", () => {
    assert.strictEqual(
      mistakesOf("phone,chat_id", "09121234567,42", "", "12345,43", "09121234567,", "09121234567"),
      "line 4 is not an Iranian mobile number; line 5 has no usable chat_id; line 6 has no usable chat_id"
    )
  })

  it("names ten mistakes, and how many more there are", () => {
    const bad = (count: number) => Array.from({ length: count }, () => "x,1")
    assert.strictEqual(mistakesOf("phone,chat_id", ...bad(10)).split("; ").length, 10)
    const more = mistakesOf("phone,chat_id", ...bad(13)).split("; ")
    assert.strictEqual(more.length, 11)
    assert.strictEqual(more[9], "line 11 is not an Iranian mobile number")
    assert.strictEqual(more[10], "and 3 more")
  })

  it.each(["4 2", "شناسه", "x".repeat(129), "4\u00002"])("refuses the chat_id %j", (chatId) => {
    assert.strictEqual(mistakesOf("phone,chat_id", `09121234567,${chatId}`), "line 2 has no usable chat_id")
  })

  it("takes a chat_id of any printable characters, up to 128", () => {
    for (const chatId of ["-100", "b0AbC_1~!", "x".repeat(128)]) {
      assert.deepEqual(read("phone,chat_id", `09121234567,${chatId}`), [contact("+989121234567", chatId)])
    }
  })
})

const withChats = (...chatIds: ReadonlyArray<string>) =>
  readContacts(["phone,chat_id", ...chatIds.map((id) => `09121234567,${id}`)].join("\n"))

describe("a contact file that a spreadsheet has rewritten", () => {
  it.each([
    "1.00E+18",
    "1E+18",
    "1.02512E+17",
    "1,02E+17",
    "1025.0",
    "1025.",
    "#N/A",
    "#REF!",
    "TRUE",
    "false",
    "NaN",
    "NULL",
    "+1025"
  ])("is refused where it has %j, by its line", (chatId) => {
    assert.deepStrictEqual(
      Result.mapError(withChats("42", chatId.includes(",") ? `"${chatId}"` : chatId), inWords),
      Result.fail("line 3 has a chat_id that a spreadsheet has rewritten")
    )
  })

  it.each(["b0QFtn0C1I022abcd29f1d60c9ce5b08", "@channel", "0", "12345678901234567890", "4x"])(
    "takes %j, as the API does",
    (chatId) => {
      assert.deepStrictEqual(withChats(chatId), Result.succeed([contact("+989121234567", chatId)]))
    }
  )

  it("keeps ids of eighteen digits, also with what copying takes along", () => {
    const ids = ["102512345678901234", "-102512345678901999", "\u2066102512345678901235\u2069"]
    const links = Result.getOrThrow(withChats(...ids))
    assert.deepStrictEqual(
      links.map(({ chatId }) => chatId),
      ["102512345678901234", "-102512345678901999", "102512345678901235"]
    )
  })

  it("is refused if the last digits of all long ids are zeros, but not for one id, which may end so", () => {
    const rounded = withChats("102512345678901000", "42", "102512345678902000")
    assert.include(Result.merge(Result.mapError(rounded, inWords)), "a spreadsheet keeps 15 digits")
    assert.isTrue(Result.isSuccess(withChats("102512345678901000")))
    assert.isTrue(Result.isSuccess(withChats("102512345678901000", "102512345678902001")))
  })
})

describe("a contact file whose header is optional", () => {
  const optional = (...lines: ReadonlyArray<string>) =>
    Result.merge(Result.mapError(readContacts(lines.join("\n"), { isHeaderOptional: true }), inWords))

  it("has the phone first, then the chat", () => {
    assert.deepEqual(optional("09121234567;42"), expected)
    assert.deepEqual(optional("name,chat_id,phone", "Sara,42,09121234567"), expected)
    assert.deepEqual(optional("", ""), [])
  })

  it("counts its lines from the first", () => {
    assert.strictEqual(optional("09121234567,42", "nobody,8"), "line 2 is not an Iranian mobile number")
    assert.strictEqual(optional("0912,42"), "line 1 is not an Iranian mobile number")
  })

  it.each(["شماره,شناسه", "phone", "name,phone"])("is refused with the header %j", (header) => {
    assert.strictEqual(
      optional(header, "09121234567,42"),
      "the first line has to name the columns phone and chat_id"
    )
  })
})

const national = Arbitrary.schema(
  Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 9_999_999 }))
).pipe(Arbitrary.map((number) => `912${String(number).padStart(7, "0")}`))

describe("the number of a contact", () => {
  it.prop("is taken with and without a plus, and in all forms of a phone", [national], ([digits]) => {
    const all = [`98${digits}`, `+98${digits}`, `0098${digits}`, `0${digits}`, digits]
    for (const written of all) {
      assert.deepStrictEqual(parseContactPhone(written), Result.succeed(Phone.make(`+98${digits}`)))
    }
  })

  it("may have its separators, in any digits", () => {
    assert.deepStrictEqual(
      parseContactPhone("98 (912) 123-4567"),
      Result.succeed(Phone.make("+989121234567"))
    )
    assert.deepStrictEqual(parseContactPhone("۹۸۹۱۲۱۲۳۴۵۶۷"), Result.succeed(Phone.make("+989121234567")))
  })

  it.each(["989121234567", "98 912 123 4567"])("%s is a phone of a request only with its plus", (written) => {
    assert.isTrue(Result.isFailure(parsePhone(written)))
  })

  it.each(["9891212345678", "98912123456", "982112345678", "+15551234567", "15551234567", "98", ""])(
    "%j is none",
    (written) => {
      assert.isTrue(Result.isFailure(parseContactPhone(written)))
    }
  )

  it.prop(
    "that is a phone of a request is the same phone",
    [Arbitrary.schema(Schema.String)],
    ([written]) => {
      if (Result.isSuccess(parsePhone(written))) {
        assert.deepStrictEqual(parseContactPhone(written), parsePhone(written))
      } else if (!/\d/.test(written)) assert.isTrue(Result.isFailure(parseContactPhone(written)))
    }
  )
})
