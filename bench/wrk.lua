-- Sends the requests of a file, which are separated by zero bytes, one after the other. Arguments: file, cycles|ends.
local ffi = require("ffi")
ffi.cdef("int kill(int pid, int signal); int getpid(void);")
local SIGINT = 2

local requests, next = {}, 0

function init(args)
  local file = assert(io.open(args[1], "rb"))
  for request in file:read("*a"):gmatch("[^%z]+") do requests[#requests + 1] = request end
  file:close()
  cycles = args[2] == "cycles"
end

function request()
  next = next + 1
  if next > #requests then
    next = 1
    -- the main thread sleeps for the whole time, unless it is interrupted
    if not cycles then
      wrk.thread:stop()
      ffi.C.kill(ffi.C.getpid(), SIGINT)
    end
  end
  return requests[next]
end

function done(summary, latency)
  local errors = summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.timeout + errors.status
  local answered = summary.requests - errors.status
  io.write(string.format('{"requests":%d,"perSecond":%.2f,"p50":%.3f,"p99":%.3f,"p999":%.3f,"failed":%d}\n', answered,
    answered / (summary.duration / 1e6), latency:percentile(50) / 1000, latency:percentile(99) / 1000,
    latency:percentile(99.9) / 1000, failed))
end
