/**
 * Config entries: writing and reading one beside 10 and 100,000 others, judging a chain of 100 services, and a filter over 10,000 entries.
 */
import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import { memoryStorage } from 'strongroom'
import { createConfigService } from 'strongroom/configsvc'
import { measure } from '../measure.mjs'
import { table, timeCell } from '../report.mjs'

export const title = 'Config entries'

const SIZES = [10, 100_000]
const AT_ONCE = 50
const CHAIN = 100
const LISTED = 10_000

const open = () => createConfigService({ storage: memoryStorage(), plaintext: true, acl: { enabled: false } })

const defaults = (Name, more = {}) => ({ Kind: 'service-defaults', Name, Protocol: 'http', ...more })

async function fill(service, count, make = (i) => defaults(`filler-${i}`)) {
  for (let at = 0; at < count; at += AT_ONCE)
    await service.entries.apply(Array.from({ length: Math.min(AT_ONCE, count - at) }, (_, i) => make(at + i)))
}

async function measureApply(services) {
  let written = 0
  const each = (act) => Object.fromEntries(Object.entries(services).map(([size, service]) => [size, act(service)]))
  const loop = (act) => async (n) => {
    for (let i = 0; i < n; i++) await act()
  }
  const resolver = () => ({ Kind: 'service-resolver', Name: 'web', ConnectTimeout: `${++written}ms` })
  return {
    'apply, typed': await measure(each(({ entries }) => loop(() => entries.apply(resolver())))),
    'apply, path': await measure(
      each((service) => loop(() => service.handle({ method: 'PUT', path: '/v1/config', body: resolver() }))),
    ),
    'apply what is there': await measure(each(({ entries }) => loop(() => entries.apply(defaults('web'))))),
    'get, typed': await measure(each(({ entries }) => loop(() => entries.get({ Kind: 'service-defaults', Name: 'web' })))),
    'get, path': await measure(
      each((service) => loop(() => service.handle({ method: 'GET', path: '/v1/config/service-defaults/web' }))),
    ),
  }
}

/** A write to the last of a chain of splitters judges all of them. */
async function chain() {
  const service = await open()
  await service.entries.apply({ Kind: 'proxy-defaults', Name: 'global', Config: { protocol: 'http' } })
  const split = (i) => ({
    Kind: 'service-splitter',
    Name: `s${i}`,
    Splits: [{ Weight: 50 }, { Weight: 50, Service: `s${i + 1}` }],
  })
  for (let i = CHAIN - 2; i >= 0; i--) await service.entries.apply(split(i))
  let timeout = 0
  const rounds = await measure({
    [`the last of ${CHAIN}`]: async (n) => {
      for (let i = 0; i < n; i++)
        await service.entries.apply({ Kind: 'service-resolver', Name: `s${CHAIN - 1}`, ConnectTimeout: `${++timeout}ms` })
    },
  })
  await service.close()
  return rounds
}

/** Milliseconds of a list and the longest delay of the event loop meanwhile. */
async function filtered() {
  const service = await open()
  await fill(service, LISTED, (i) => defaults(`web-${i}`, { Meta: { team: `${i % 100}` }, MaxInboundConnections: i }))
  const times = []
  const delay = monitorEventLoopDelay({ resolution: 1 })
  for (let round = 0; round < 9; round++) {
    delay.enable()
    const start = performance.now()
    const found = await service.entries.list({
      Kind: 'service-defaults',
      filter: 'Meta.team == 7 and MaxInboundConnections != 0 or Protocol matches "^h.*q$"',
    })
    times.push(performance.now() - start)
    delay.disable()
    if (found.length !== LISTED / 100) throw new Error(`${found.length} were found`)
  }
  await service.close()
  times.sort((a, b) => a - b)
  return `a list with a filter over ${LISTED} entries: ${times[4].toFixed(0)} ms [${times[2].toFixed(0)}, ${times[6].toFixed(0)}]; the event loop was delayed by at most ${(delay.max / 1e6).toFixed(0)} ms`
}

export async function run() {
  const services = {}
  for (const size of SIZES) {
    const service = await open()
    await fill(service, size)
    await service.entries.apply(defaults('web'))
    services[`beside ${size}`] = service
  }
  const rows = Object.entries(await measureApply(services)).map(([what, rounds]) => [
    what,
    ...rounds.names.map((name) => timeCell(rounds.time(name))),
  ])
  const names = Object.keys(services)
  for (const service of Object.values(services)) await service.close()
  const chainRounds = await chain()
  const text = [
    table(['one entry', ...names], rows),
    table(
      ['judging a chain', ...chainRounds.names],
      [['', ...chainRounds.names.map((name) => timeCell(chainRounds.time(name)))]],
    ),
    await filtered(),
  ].join('\n\n')
  return { targets: [], text }
}
