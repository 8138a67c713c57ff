// Nest 12: src/main.ts of a project by `nest new`; login.html next to package.json; npm install ./peyk-client-*.tgz
import "reflect-metadata"
import { createClient, PeykError } from "@peyk/client"
import { Body, Catch, Controller, Get, HttpCode, Module, Post, Req, Res, UseFilters } from "@nestjs/common"
import type { ArgumentsHost, ExceptionFilter } from "@nestjs/common"
import { NestFactory } from "@nestjs/core"
import type { NestExpressApplication } from "@nestjs/platform-express"

const peyk = createClient({ baseUrl: process.env.PEYK_URL!, apiKey: process.env.PEYK_API_KEY! })

@Catch(PeykError)
class PeykErrors implements ExceptionFilter<PeykError> {
  catch(error: PeykError, host: ArgumentsHost) {
    // Not Peyk's own response: its status would say something wrong about this page.
    const isForeign = error.code === "invalid_response" || error.status === 0
    const response = host.switchToHttp().getResponse()
    response.status(isForeign ? 503 : error.status).json({ error: error.code })
  }
}

@Controller()
@UseFilters(PeykErrors)
class LoginController {
  @Get()
  page(@Res() response: any) {
    response.sendFile("login.html", { root: process.cwd() })
  }

  @Post("login/send")
  @HttpCode(200)
  async send(@Body("phone") phone: string, @Req() request: any, @Res({ passthrough: true }) response: any) {
    const client = { ip: request.ip }
    const { verification_id, expires_in } = await peyk.otp.send({ phone: String(phone), client })
    // The page never sees the id: a code works only in the browser that asked for it.
    const maxAge = expires_in * 1000
    response.cookie("verification", verification_id, { httpOnly: true, sameSite: "lax", maxAge })
    return { expires_in }
  }

  @Post("login/verify")
  @HttpCode(200)
  async verify(@Body("code") code: string, @Req() request: any, @Res({ passthrough: true }) response: any) {
    const verification_id = /\bverification=([\w-]+)/.exec(request.get("cookie") ?? "")?.[1] ?? ""
    const { verified, reason } = await peyk.otp.verify({ verification_id, code: String(code) })
    if (!verified) return { verified, reason }
    const { phone } = await peyk.otp.status(verification_id)
    // Start your own session for this phone here.
    response.clearCookie("verification")
    return { verified, phone }
  }
}

@Module({ controllers: [LoginController] })
class AppModule {}

// Only JSON: another site's form cannot send it, so the routes need no CSRF token.
const app = await NestFactory.create<NestExpressApplication>(AppModule, { bodyParser: false })
app.useBodyParser("json")
await app.listen(Number(process.env.PORT ?? 3000), "127.0.0.1")
console.log(`Open ${await app.getUrl()}`)
