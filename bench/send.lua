-- wrk: one send per request, each to another phone with another idempotency key.
-- KEY=svc_live_… SALT=run1 wrk -t1 -c64 -d10s --latency -s bench/send.lua http://127.0.0.1:8080
local n, key, salt = 0, os.getenv("KEY"), os.getenv("SALT") or tostring(os.time())
math.randomseed(os.time())
function request()
  n = n + 1
  local headers = { ["X-API-Key"] = key, ["Content-Type"] = "application/json", ["Idempotency-Key"] = salt .. "-" .. n }
  local phone = string.format("0912%07d", math.random(0, 9999999))
  return wrk.format("POST", "/v1/otp/send", headers, '{"phone":"' .. phone .. '"}')
end
