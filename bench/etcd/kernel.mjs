/** What a kernel makes of a store on a cluster: its own writes, and a read that asks. Another prefix, as the other candidates have. */
import { createKernel, keySeal } from 'strongroom'
import { IN_FLIGHT, oneByOne, together } from '../in-flight.mjs'
import { measure } from '../measure.mjs'
import { microseconds, table } from '../report.mjs'

const DATA = { password: 'x'.repeat(86) }
const AGAIN = 256

export async function kernelTable(storage) {
  const seal = keySeal(new Uint8Array(32).fill(2))
  const kernel = await createKernel({ storage, seal, initialize: true })
  const exact = await createKernel({ storage, seal, cache: { stalenessMs: 0 } })
  await kernel.mounts.createMount({ path: 'versioned/', type: 'kv', options: { version: '2' } })
  const kv2 = kernel.kv2.at('versioned/')
  let at = 0
  const calls = {
    'a new secret, version 1': () => kernel.kv.writeSecret({ path: `new/${at++}`, data: DATA }),
    'one written again, version 1': () => kernel.kv.writeSecret({ path: `again/${at++ % AGAIN}`, data: DATA }),
    'a new secret, version 2': () => kv2.writeSecret({ path: `new/${at++}`, data: DATA }),
    'one written again, version 2': () => kv2.writeSecret({ path: `again/${at++ % AGAIN}`, data: DATA }),
    'a read that asks the store': () => exact.kv.readSecret({ path: 'again/1' }),
  }
  for (const kv of [kernel.kv, kv2]) for (let n = 0; n < AGAIN; n++) await kv.writeSecret({ path: `again/${n}`, data: DATA })
  const candidates = (how) => Object.fromEntries(Object.entries(calls).map(([name, call]) => [name, how(call)]))
  const rounds = await measure(candidates(oneByOne))
  const many = await measure(candidates(together))
  await Promise.all([kernel.close(), exact.close()])
  const rows = rounds.names.map((name) => [
    name,
    microseconds(rounds.time(name).median),
    microseconds(many.time(name).median / IN_FLIGHT),
    Math.round((IN_FLIGHT * 1_000_000) / many.time(name).median).toLocaleString('en-US'),
  ])
  return table(['by a kernel', 'one at a time', `${IN_FLIGHT} in flight, each`, 'a second'], rows)
}
