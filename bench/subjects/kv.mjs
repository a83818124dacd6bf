/**
 * Secrets of both versions, read and written with a token and its policies, in memory and on LMDB. `application` asks nobody and is what
 * a token is compared with; `JSON` is parsing or writing the text of the secret alone.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDevKernel, memoryStorage } from 'strongroom'
import { lmdbStorage } from 'strongroom/storage/lmdb'
import { measure } from '../measure.mjs'
import { microseconds, ratio, table, target, timeCell } from '../report.mjs'

const SECRETS = 1000
const IN_FLIGHT = 64
const RULES = 100

export const title = 'Secrets, with a token and its policies'

const DATA = { user: 'app', password: 'x'.repeat(32), host: 'db.example', port: 5432, options: { tls: true, retries: 3 } }
const TEXT = JSON.stringify(DATA)

/** One rule that counts among many that do not. */
const policyText = (prefix) =>
  [
    `path "${prefix}app/*" { capabilities = ["create", "read", "update"] }`,
    ...Array.from({ length: RULES }, (_, i) => `path "${prefix}team-${i}/*" { capabilities = ["read"] }`),
  ].join('\n')

const VERSIONS = {
  'version 1': { mount: 'secret/', prefix: 'secret/', facade: (view) => view.kv, body: DATA },
  'version 2': { mount: 'kv2/', prefix: 'kv2/data/', facade: (view) => view.kv2.at('kv2/'), body: { data: DATA } },
}

/** A loop of its own for each candidate. */
const loop = (work) => async (n) => {
  for (let i = 0; i < n; i++) await work(i)
}
const together = (work) => async (n) => {
  for (let i = 0; i < n; i++) await Promise.all(Array.from({ length: IN_FLIGHT }, (_, k) => work(i * IN_FLIGHT + k)))
}

async function candidates(kernel, { prefix, facade, body }) {
  await kernel.policies.writePolicy({ name: 'app', policy: policyText(prefix) })
  const { client_token: token } = await kernel.tokens.createToken({ policies: ['app'], ttl: '700h' })
  const [own, asToken] = [facade(kernel), facade(kernel.as(token))]
  const headers = { 'X-Service-Token': token }
  const path = (i) => `app/service-${i % SECRETS}`
  for (let i = 0; i < SECRETS; i++) await own.writeSecret({ path: path(i), data: DATA })
  const ask = async (method, i, sent) => {
    const { status } = await kernel.handle({ method, path: `/v1/${prefix}${path(i)}`, headers, body: sent })
    if (status >= 300) throw new Error(`${method}: ${status}`)
  }
  return {
    read: {
      JSON: (n) => {
        for (let i = 0; i < n; i++) JSON.parse(TEXT)
      },
      application: loop((i) => own.readSecret({ path: path(i) })),
      token: loop((i) => asToken.readSecret({ path: path(i) })),
      'request with token': loop((i) => ask('GET', i)),
    },
    write: {
      JSON: (n) => {
        for (let i = 0; i < n; i++) JSON.stringify(DATA)
      },
      application: loop((i) => own.writeSecret({ path: path(i), data: DATA })),
      token: loop((i) => asToken.writeSecret({ path: path(i), data: DATA })),
      'request with token': loop((i) => ask('POST', i, body)),
      [`${IN_FLIGHT} requests in flight, each`]: together((i) => ask('POST', i, body)),
    },
  }
}

async function onStore(name, storage) {
  const kernel = await createDevKernel({ storage })
  await kernel.mounts.createMount({ path: 'kv2', type: 'kv', options: { version: '2' } })
  const rows = []
  const writes = {}
  for (const [version, place] of Object.entries(VERSIONS)) {
    const { read, write } = await candidates(kernel, place)
    writes[version] = write.application
    for (const [what, each] of Object.entries({ read, write })) {
      const rounds = await measure(each)
      for (const candidate of rounds.names) {
        const time = rounds.time(candidate)
        const cell = candidate.includes('in flight') ? microseconds(time.median / IN_FLIGHT) : timeCell(time)
        rows.push([name, version, what, candidate, cell])
      }
    }
  }
  const both = await measure(writes)
  await kernel.close()
  const cost = both.speed('version 1', 'version 2')
  return { rows, targets: [target(`${name}, a write: version 2 : version 1`, cost, { atMost: 2.5 }, ratio)] }
}

export async function run() {
  const folder = mkdtempSync(join(tmpdir(), 'strongroom-bench-'))
  const disk = lmdbStorage({ path: join(folder, 'kernel') })
  try {
    const stores = [await onStore('memory', memoryStorage()), await onStore('LMDB', disk)]
    const rows = stores.flatMap((store) => store.rows)
    return { targets: stores.flatMap((store) => store.targets), text: table(['store', 'engine', 'what', 'by', 'time'], rows) }
  } finally {
    await disk.close()
    rmSync(folder, { recursive: true, force: true })
  }
}
