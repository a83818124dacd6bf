/**
 * The configuration service from outside: decisions, looking up tokens and making roles, typed and by path, in memory and on LMDB; and what
 * one write costs that wakes 10,000 blocked reads.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { memoryStorage } from 'strongroom'
import { createConfigService } from 'strongroom/configsvc'
import { lmdbStorage } from 'strongroom/storage/lmdb'
import { measure } from '../measure.mjs'
import { table, timeCell } from '../report.mjs'
import { ruleOf } from '../service-rules.mjs'

export const title = 'Configuration service'

const ROOT = '5ec2e700-1111-4222-8333-444455556666'
const RULES = 100
const BLOCKED = 10_000
const WAKINGS = 7

const open = (storage) => createConfigService({ storage, plaintext: true, acl: { bootstrapToken: ROOT } })

async function checked(service, request) {
  const { status, body } = await service.handle(request)
  if (status !== 200) throw new Error(`${request.path}: ${status} ${JSON.stringify(body)}`)
  return body
}

async function decisions(service) {
  const Rules = Array.from({ length: RULES }, (_, i) => ruleOf(i)).join('\n')
  const { ID } = await service.policies.create({ Name: 'many-rules', Rules })
  const { SecretID: token, AccessorID } = await service.tokens.create({ Policies: [{ ID }] })
  const own = service.as(token).tokens
  const headers = { 'X-Config-Token': token }
  const body = [{ Resource: 'service', Segment: 'team-8-web', Access: 'write' }]
  const request = { method: 'POST', path: '/v1/internal/acl/authorize', headers, body }
  const question = { token, permission: 'service:write', resource: 'team-8-web' }
  if (!(await service.acl.authorize(question)) || !(await checked(service, request))[0].Allow) throw new Error('is not allowed')
  const decided = await measure({
    typed: async (n) => {
      for (let i = 0; i < n; i++) await service.acl.authorize(question)
    },
    path: async (n) => {
      for (let i = 0; i < n; i++) await service.handle(request)
    },
  })
  const self = { method: 'GET', path: '/v1/acl/token/self', headers }
  const readRequest = { method: 'GET', path: `/v1/acl/token/${AccessorID}`, headers: { 'X-Config-Token': ROOT } }
  await checked(service, self)
  await checked(service, readRequest)
  const looked = await measure({
    'itself, typed': async (n) => {
      for (let i = 0; i < n; i++) await own.readSelf()
    },
    'itself, path': async (n) => {
      for (let i = 0; i < n; i++) await service.handle(self)
    },
    'by accessor, typed': async (n) => {
      for (let i = 0; i < n; i++) await service.tokens.read({ AccessorID })
    },
    'by accessor, path': async (n) => {
      for (let i = 0; i < n; i++) await service.handle(readRequest)
    },
  })
  return { decided, looked }
}

async function roles(services) {
  let made = 0
  return measure(
    Object.fromEntries(
      Object.entries(services).map(([name, service]) => [
        name,
        async (n) => {
          for (let i = 0; i < n; i++)
            await service.roles.create({ Name: `r${made++}`, ServiceIdentities: [{ ServiceName: 'web' }] })
        },
      ]),
    ),
  )
}

/** Milliseconds from the write to the last answer, each of which is told once. */
async function wakings(service) {
  const { ID } = await service.roles.create({ Name: 'woken' })
  const times = []
  for (let round = 0; round < WAKINGS; round++) {
    const headers = { 'X-Config-Token': ROOT }
    const path = `/v1/acl/role/${ID}`
    const index = (await service.handle({ method: 'GET', path, headers })).headers['X-Config-Index']
    let answers = 0
    const waiting = Array.from({ length: BLOCKED }, () =>
      service.handle({ method: 'GET', path, headers, query: { index, wait: '5m' } }).then(({ body }) => {
        if (body.Description !== `${round}`) throw new Error('a read was woken for nothing')
        answers++
      }),
    )
    await new Promise((resolve) => setTimeout(resolve, 500))
    if (answers > 0) throw new Error('a read did not wait')
    const start = performance.now()
    await service.roles.update({ ID, Name: 'woken', Description: `${round}` })
    await Promise.all(waiting)
    times.push(performance.now() - start)
  }
  times.sort((a, b) => a - b)
  return { median: times[WAKINGS >> 1], low: times[WAKINGS >> 2], high: times[WAKINGS - 1 - (WAKINGS >> 2)] }
}

export async function run() {
  const directory = mkdtempSync(join(tmpdir(), 'strongroom-bench-'))
  const disk = lmdbStorage({ path: directory })
  const services = { memory: await open(memoryStorage()), LMDB: await open(disk) }
  const { decided, looked } = await decisions(services.memory)
  const made = await roles(services)
  const woken = await wakings(services.memory)
  for (const service of Object.values(services)) await service.close()
  await disk.close()
  rmSync(directory, { recursive: true, force: true })
  const row = (what, rounds) => table([what, ...rounds.names], [['', ...rounds.names.map((name) => timeCell(rounds.time(name)))]])
  const ms = ({ median, low, high }) => `${median.toFixed(0)} ms [${low.toFixed(0)}, ${high.toFixed(0)}]`
  const text = [
    row(`a decision by ${RULES} rules`, decided),
    row('a token', looked),
    row('a role made', made),
    `One write wakes ${BLOCKED} blocked reads of a role; the last is answered after ${ms(woken)}.`,
  ].join('\n\n')
  return { targets: [], text }
}
