// Nest 12: src/main.ts of a project by `nest new`; npm install express-session ./peyk-client-*.tgz; login page in public/
import "reflect-metadata"
import { createClient } from "@peyk/client"
import { createLogin, type LoginReply } from "@peyk/client/login-server"
import { Body, Controller, Get, Module, Post, Req, Res } from "@nestjs/common"
import { NestFactory } from "@nestjs/core"
import type { NestExpressApplication } from "@nestjs/platform-express"
import session from "express-session"
import { randomUUID } from "node:crypto"

const login = createLogin(createClient({ baseUrl: process.env.PEYK_URL!, apiKey: process.env.PEYK_API_KEY! }))
const answer = (response: any, { status, body }: LoginReply) => response.status(status).json(body)

@Controller()
class LoginController {
  @Post("login/send")
  async send(@Body("phone") phone: unknown, @Req() request: any, @Res() response: any) {
    answer(response, await login.send(request, phone))
  }

  @Post("login/next")
  async next(@Req() request: any, @Res() response: any) {
    answer(response, await login.next(request, request.body?.channel))
  }

  @Get("login/status")
  async status(@Req() request: any, @Res() response: any) {
    answer(response, await login.status(request))
  }

  @Post("login/verify")
  async verify(@Body("code") code: unknown, @Req() request: any, @Res() response: any) {
    const reply = await login.verify(request, code)
    if (reply.phone === null) return answer(response, reply)
    // A new session, whose id nobody can know from before. Sign the person in here.
    request.session.regenerate(() => {
      request.session.phone = reply.phone
      answer(response, reply)
    })
  }

  @Get("account")
  account(@Req() { session: { phone } }: any, @Res() response: any) {
    return phone ? response.send(`You are signed in as ${phone}.`) : response.redirect("/")
  }
}

@Module({ controllers: [LoginController] })
class AppModule {}

// Only JSON: another site's form cannot send it, so the routes need no CSRF token.
const app = await NestFactory.create<NestExpressApplication>(AppModule, { bodyParser: false })
app.useBodyParser("json").useStaticAssets("public", { index: "login.html" })
// With a secret of your own and a store, people stay signed in when the server restarts.
const secret = process.env.SESSION_SECRET ?? randomUUID()
const cookie = { httpOnly: true, sameSite: "lax", secure: "auto" } as const
app.use(session({ secret, cookie, resave: false, saveUninitialized: false }))
await app.listen(Number(process.env.PORT ?? 3000), "127.0.0.1")
console.log(`Open ${await app.getUrl()}`)
