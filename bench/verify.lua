-- wrk: wrong codes, each for one of the verifications whose ids are in the file IDS (one per line, used in turn).
-- KEY=svc_live_… IDS=ids.txt wrk -t1 -c64 -d10s --latency -s bench/verify.lua http://127.0.0.1:8080
local ids, n, key = {}, 0, os.getenv("KEY")
for line in io.lines(os.getenv("IDS")) do ids[#ids + 1] = line end
function request()
  n = n + 1
  local headers = { ["X-API-Key"] = key, ["Content-Type"] = "application/json" }
  local body = '{"verification_id":"' .. ids[n % #ids + 1] .. '","code":"0000000"}'
  return wrk.format("POST", "/v1/otp/verify", headers, body)
end
