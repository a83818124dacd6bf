/** Cases of tokens.json: sequences of operations on tokens, as requests and as typed calls. */
import { expect, it } from 'vitest'
import { type AclCase, describeAcl } from '../../fixtures/acl-vectors.ts'
import { answered, type ConfigWorld, configWorld } from '../../fixtures/configsvc.ts'

type Members = Readonly<Record<string, unknown>>

interface Step {
  readonly op: 'create' | 'update' | 'clone' | 'read' | 'delete' | 'logout'
  readonly of?: string
  readonly body?: Members
  readonly expect?: 'stored' | 'refused'
  readonly names?: string
  readonly as?: string
  readonly answer?: Members
  readonly not?: readonly string[]
  readonly ttl?: number
}

interface TokensCase extends AclCase {
  readonly roles: readonly string[]
  readonly policies: readonly string[]
  readonly steps: readonly Step[]
  readonly either?: true
  readonly not?: readonly string[]
}

interface Outcome {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: the cases specify the response.
  readonly body: any
}

/** The same steps through either view. */
type Tokens = Readonly<Record<Exclude<Step['op'], 'logout'>, (id: string, body: Members) => Promise<Outcome>>>

const requests = ({ ask }: ConfigWorld): Tokens => ({
  create: (_, body) => ask('PUT', 'acl/token', body),
  update: (id, body) => ask('PUT', `acl/token/${id}`, body),
  clone: (id, body) => ask('PUT', `acl/token/${id}/clone`, body),
  read: (id) => ask('GET', `acl/token/${id}`),
  delete: (id) => ask('DELETE', `acl/token/${id}`),
})

const outcome = (call: Promise<unknown>): Promise<Outcome> =>
  call.then(
    (body) => ({ status: 200, body }),
    ({ status, message }) => ({ status, body: message }),
  )

const typed = ({ service: { tokens } }: ConfigWorld): Tokens => ({
  create: (_, body) => outcome(tokens.create(body)),
  update: (AccessorID, body) => outcome(tokens.update({ ...body, AccessorID })),
  clone: (AccessorID, body) => outcome(tokens.clone({ ...body, AccessorID })),
  read: (AccessorID) => outcome(tokens.read({ AccessorID })),
  delete: (AccessorID) => outcome(tokens.delete({ AccessorID })),
})

const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000 }

async function walk(testCase: TokensCase, world: ConfigWorld, tokens: Tokens): Promise<void> {
  const { ask, clock } = world
  const known = new Map<string, unknown>()
  for (const Name of testCase.roles) known.set(`@role:${Name}`, (await answered(ask('PUT', 'acl/role', { Name }))).ID)
  for (const Name of testCase.policies) known.set(`@policy:${Name}`, (await answered(ask('PUT', 'acl/policy', { Name }))).ID)
  const value = (text: string): unknown => {
    const [, sign, count, unit = ''] = /^@now([+-])(\d+)([smh])$/.exec(text) ?? []
    if (sign) return new Date(clock.now() + Number(`${sign}${count}`) * (UNITS[unit] as number)).toISOString()
    return known.get(text) ?? text
  }
  const filled = (members: Members): Members =>
    JSON.parse(JSON.stringify(members), (_, text) => (typeof text === 'string' ? value(text) : text))
  for (const step of testCase.steps) {
    const { op, of = '', body = {}, names = '', ttl, answer = {}, as } = step
    const id = String(known.get(`@${of}.AccessorID`) ?? of)
    const secret = String(known.get(`@${of}.SecretID`))
    const made = op === 'logout' ? await ask('POST', 'acl/logout', undefined, secret) : await tokens[op](id, filled(body))
    const token = made.body
    if (testCase.either && made.status === 400) continue
    if (step.expect === 'refused' && !testCase.either) {
      expect(made.status).toBeGreaterThanOrEqual(400)
      expect(made.status).toBeLessThan(500)
      expect(token).toContain(names)
      continue
    }
    expect([made.status, token]).toEqual([200, expect.anything()])
    for (const [member, expected] of Object.entries(filled(answer)))
      expect([member, token[member]]).toEqual([member, expected ?? undefined])
    if (ttl !== undefined) expect(Date.parse(token.ExpirationTime) - Date.parse(token.CreateTime)).toBe(ttl * 1000)
    for (const member of op === 'clone' ? (testCase.not ?? []) : []) expect(token[member]).not.toBe(known.get(`@${of}.${member}`))
    if (as) for (const [member, stored] of Object.entries(token)) known.set(`@${as}.${member}`, stored)
  }
}

describeAcl<TokensCase>('tokens.json', 'tokens', (cases) => {
  it.each(cases)('token requests have the recorded results, $id: $about', async (testCase) => {
    await using world = await configWorld()
    await walk(testCase, world, requests(world))
  })

  // A typed call has only one AccessorID.
  const sayable = cases.filter(
    ({ steps }) => !steps.some(({ of, body }) => of && body?.['AccessorID'] && !`${body['AccessorID']}`.startsWith('@')),
  )

  it.each(sayable)('typed token calls have the recorded results, $id: $about', async (testCase) => {
    await using world = await configWorld()
    await walk(testCase, world, typed(world))
  })
})
