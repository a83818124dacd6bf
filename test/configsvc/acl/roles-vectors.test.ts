/** Cases of roles.json: sequences of operations on roles, as requests and as typed calls. */
import { expect, it } from 'vitest'
import { type AclCase, describeAcl } from '../../fixtures/acl-vectors.ts'
import { answered, type ConfigWorld, configWorld } from '../../fixtures/configsvc.ts'

type Members = Readonly<Record<string, unknown>>

interface Step {
  readonly op: 'create' | 'update' | 'read' | 'delete-policy'
  readonly of?: string
  readonly body?: Members
  readonly expect?: 'stored' | 'refused'
  readonly names?: string
  readonly either?: true
  readonly as?: string
  readonly answer?: Members
}

interface RolesCase extends AclCase {
  readonly policies?: readonly string[]
  readonly steps: readonly Step[]
}

interface Outcome {
  readonly status: number
  readonly body: unknown
}

type Role = Members & { readonly ID: string }

/** The same steps through either view. */
interface Roles {
  create(body: Members): Promise<Outcome>
  update(id: string, body: Members): Promise<Outcome>
  read(id: string): Promise<Outcome>
}

const requests = ({ ask }: ConfigWorld): Roles => ({
  create: (body) => ask('PUT', 'acl/role', body),
  update: (id, body) => ask('PUT', `acl/role/${id}`, body),
  read: (id) => ask('GET', `acl/role/${id}`),
})

const outcome = (call: Promise<unknown>): Promise<Outcome> =>
  call.then(
    (body) => ({ status: 200, body }),
    ({ status, message }) => ({ status, body: message }),
  )

const typed = ({ service: { roles } }: ConfigWorld): Roles => ({
  create: (body) => outcome(roles.create(body)),
  update: (id, body) => outcome(roles.update({ ID: id, ...body })),
  read: (id) => outcome(roles.read({ ID: id })),
})

async function walk({ policies = [], steps }: RolesCase, world: ConfigWorld, roles: Roles): Promise<void> {
  const { ask } = world
  const ids = new Map<string, string>()
  for (const Name of policies) ids.set(`@policy:${Name}`, (await answered(ask('PUT', 'acl/policy', { Name }))).ID)
  const filled = (value: unknown): Members =>
    JSON.parse(JSON.stringify(value), (_, text) => (typeof text === 'string' ? (ids.get(text) ?? text) : text))
  const run = async ({ op, of = '', body = {} }: Step): Promise<Outcome> => {
    const id = ids.get(of) ?? ''
    if (op === 'delete-policy') return ask('DELETE', `acl/policy/${ids.get(`@policy:${of}`)}`)
    if (op === 'read') return roles.read(id)
    return op === 'update' ? roles.update(id, filled(body)) : roles.create(filled(body))
  }
  for (const step of steps) {
    const { status, body } = await run(step)
    if (step.either && status === 400) continue
    if (step.expect === 'refused' && !step.either) {
      expect([status, body]).toEqual([400, expect.stringMatching(new RegExp(step.names ?? '', 'i'))])
      continue
    }
    expect([status, body]).toEqual([200, expect.anything()])
    if (step.as) ids.set(step.as, (body as Role).ID)
    for (const [member, expected] of Object.entries(filled(step.answer ?? {})))
      expect([member, (body as Role)[member]]).toEqual([member, expected ?? undefined])
  }
}

describeAcl<RolesCase>('roles.json', 'roles', (cases) => {
  it.each(cases)('role requests have the recorded results, $id: $about', async (testCase) => {
    await using world = await configWorld()
    await walk(testCase, world, requests(world))
  })

  it.each(cases)('typed role calls have the recorded results, $id: $about', async (testCase) => {
    await using world = await configWorld()
    await walk(testCase, world, typed(world))
  })
})
