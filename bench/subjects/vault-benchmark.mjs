/**
 * A dev server under the mixes of requests that vault-benchmark sends, over HTTP with 10 workers. If the variable BAO_BIN names a `bao` or
 * `vault`, the same mixes are sent to that program in development mode, alternating with the dev server. Client and server share the machine.
 */
import { Client, runMix } from '../field/load.mjs'
import { DEV_SERVER_MIXES, MIXES } from '../field/mixes.mjs'
import { startDevServer, startProgram } from '../field/programs.mjs'
import { table } from '../report.mjs'

const WARM_UP_SECONDS = 2
const SECONDS = 3
const ROUNDS = 3

export const title = 'The mixes of vault-benchmark (HTTP, 10 workers)'

const milliseconds = (value) => `${value.toFixed(2)} ms`

export async function run() {
  const own = { 'dev server': await startDevServer() }
  const programs = { ...own }
  const { BAO_BIN } = process.env
  if (BAO_BIN) programs[BAO_BIN.split('/').at(-1)] = await startProgram(BAO_BIN)
  const parts = []
  for (const [name, open] of Object.entries(MIXES)) parts.push(await measureMix(name, open, programs))
  for (const [name, open] of Object.entries(DEV_SERVER_MIXES)) parts.push(await measureMix(name, open, own))
  for (const program of Object.values(programs)) await program.stop()
  return { targets: [], text: parts.join('\n\n') }
}

async function measureMix(name, open, programs) {
  const candidates = []
  for (const [programName, program] of Object.entries(programs)) {
    const client = new Client(program)
    const mix = await open((asked) => client.call(asked))
    await runMix(client, mix, WARM_UP_SECONDS)
    candidates.push({ programName, program, client, mix, results: new Map(), delays: [] })
  }
  for (let round = 0; round < ROUNDS; round++)
    for (const candidate of candidates) {
      await candidate.program.begin()
      merge(candidate.results, await runMix(candidate.client, candidate.mix, SECONDS))
      const delay = await candidate.program.end()
      if (delay) candidate.delays.push(delay)
    }
  for (const { client } of candidates) client.close()
  const rows = candidates.flatMap(({ programName, mix, results }) =>
    mix.map((kind) => rowOf(programName, kind, results.get(kind.name))),
  )
  const lines = candidates.flatMap(({ programName, delays }) => (delays.length > 0 ? [delayLine(programName, delays)] : []))
  const header = ['server', 'operation', 'weight', 'answers per second', 'mean', 'p50', 'p95', 'p99', 'without error']
  return [`**${name}**`, table(header, rows), ...lines].join('\n\n')
}

function merge(all, more) {
  for (const [name, { times, errors }] of more) {
    const result = all.get(name) ?? { times: [], errors: 0 }
    for (const time of times) result.times.push(time)
    result.errors += errors
    all.set(name, result)
  }
}

function rowOf(programName, { name, weight }, { times, errors }) {
  times.sort((a, b) => a - b)
  const at = (share) => milliseconds(times[Math.floor((times.length - 1) * share)])
  const mean = times.reduce((sum, time) => sum + time, 0) / times.length
  const perSecond = (times.length / (SECONDS * ROUNDS)).toFixed(0)
  const share = `${(100 * (1 - errors / times.length)).toFixed(2)} %`
  return [programName, name, `${weight} %`, perSecond, milliseconds(mean), at(0.5), at(0.95), at(0.99), share]
}

function delayLine(programName, delays) {
  const worst = (name) => milliseconds(Math.max(...delays.map((delay) => delay[name])))
  return `Delay of the event loop of the ${programName}, with the timer of 1 ms: p50 ${worst('p50')}, p99 ${worst('p99')}, longest ${worst('max')}.`
}
