-- wrk: the status of verifications whose ids are in the file IDS (one per line, used in turn).
-- KEY=svc_live_… IDS=ids.txt wrk -t1 -c64 -d10s --latency -s bench/status.lua http://127.0.0.1:8080
local ids, n, key = {}, 0, os.getenv("KEY")
for line in io.lines(os.getenv("IDS")) do ids[#ids + 1] = line end
function request()
  n = n + 1
  return wrk.format("GET", "/v1/otp/" .. ids[n % #ids + 1], { ["X-API-Key"] = key })
end
