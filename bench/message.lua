-- wrk: one message per request, each to another phone.
-- KEY=svc_live_… wrk -t1 -c64 -d10s --latency -s bench/message.lua http://127.0.0.1:8080
local key = os.getenv("KEY")
math.randomseed(os.time())
function request()
  local headers = { ["X-API-Key"] = key, ["Content-Type"] = "application/json" }
  local body = '{"to":"0912%07d","message":"Your order has left.","channels":["bale","sms"]}'
  return wrk.format("POST", "/v1/messages/send", headers, string.format(body, math.random(0, 9999999)))
end
