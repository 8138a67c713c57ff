/**
 * The price of an attempt `a`, the `n`th of a record `r`, with its step's `price`: on a route in order, only the first
 * with the captured price has one.
 */
export const ATTEMPT_COST = `case
  when a ->> 'status' <> 'sent' or r.captured = 0 or price is null then 0
  when r.is_each_charged then price
  when price <> r.captured then 0
  when n = 1 or not exists (
    select from jsonb_array_elements(r.attempts) with ordinality as other(o, m)
    where m < n and o ->> 'status' = 'sent' and (r.route -> (o ->> 'step')::int ->> 'price')::bigint = r.captured)
    then price
  else 0 end`
