// npm install express express-session ./peyk-client-*.tgz; PEYK_URL=… PEYK_API_KEY=… node server.mjs
import { createClient } from "@peyk/client"
import { createLogin } from "@peyk/client/login-server"
import express from "express"
import session from "express-session"
import { randomUUID } from "node:crypto"

const login = createLogin(createClient({ baseUrl: process.env.PEYK_URL, apiKey: process.env.PEYK_API_KEY }))

const app = express()
app.use(express.static(`${import.meta.dirname}/public`, { index: "login.html" }))
// Only JSON: another site's form cannot send it, so the routes need no CSRF token.
app.use(express.json())
// With a secret of your own and a store, people stay signed in when the server restarts.
const secret = process.env.SESSION_SECRET ?? randomUUID()
const cookie = { httpOnly: true, sameSite: "lax", secure: "auto" }
app.use(session({ secret, cookie, resave: false, saveUninitialized: false }))

app.post("/login/send", async (request, response) => {
  const { status, body } = await login.send(request, request.body?.phone)
  response.status(status).json(body)
})

app.post("/login/next", async (request, response) => {
  const { status, body } = await login.next(request, request.body?.channel)
  response.status(status).json(body)
})

app.get("/login/status", async (request, response) => {
  const { status, body } = await login.status(request)
  response.status(status).json(body)
})

app.post("/login/verify", async (request, response) => {
  const { status, body, phone } = await login.verify(request, request.body?.code)
  if (phone === null) return response.status(status).json(body)
  // A new session, whose id nobody can know from before. Sign the person in here.
  request.session.regenerate(() => {
    request.session.phone = phone
    response.json(body)
  })
})

app.get("/account", ({ session: { phone } }, response) =>
  phone ? response.send(`You are signed in as ${phone}.`) : response.redirect("/")
)

// Not Express's own handler, which shows where the program failed.
app.use((error, _request, response, _next) => {
  const status = error.status ?? 500
  if (status >= 500) console.error(error)
  response.status(status).json({ error: status < 500 ? "bad_request" : "internal_error" })
})

const server = app.listen(process.env.PORT ?? 3000, "127.0.0.1", () =>
  console.log(`Open http://127.0.0.1:${server.address().port}`)
)
