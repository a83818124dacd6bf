/**
 * A change may be refused because of entries that its caller may not read. The refusal mentions none of them.
 */
import { describe, expect, it } from 'vitest'
import { type ConfigWorld, configWorld } from '../../fixtures/configsvc.ts'
import type { Json } from '../../fixtures/entry-of-each-kind.ts'

/** The service that the caller may not read. */
const HIDDEN = 'kiosk'

const defaults = (Name: string, Protocol = 'http', more: Json = {}): Json => ({
  Kind: 'service-defaults',
  Name,
  Protocol,
  ...more,
})
const router = (Name: string, Service: string): Json => ({ Kind: 'service-router', Name, Routes: [{ Destination: { Service } }] })
const splitter = (Name: string, Service: string): Json => ({ Kind: 'service-splitter', Name, Splits: [{ Weight: 100, Service }] })
const resolver = (Name: string, more: Json): Json => ({ Kind: 'service-resolver', Name, ...more })
const exported = (Name: string): Json => ({
  Kind: 'exported-services',
  Name: 'default',
  Services: [{ Name, Consumers: [{ Peer: 'east' }] }],
})

interface Case {
  readonly what: string
  readonly before: readonly Json[]
  /** The entry that the caller writes, or the path of the entry to delete. */
  readonly change: Json | string
}

const CASES: readonly Case[] = [
  {
    what: 'another protocol for a destination of a hidden router',
    before: [defaults(HIDDEN), defaults('open'), router(HIDDEN, 'open')],
    change: defaults('open', 'grpc'),
  },
  {
    what: 'a redirect that closes a cycle through a hidden service',
    before: [resolver('open', { Redirect: { Service: HIDDEN } }), resolver(HIDDEN, { Redirect: { Service: 'mine' } })],
    change: resolver('mine', { Redirect: { Service: 'open' } }),
  },
  {
    what: 'a split that closes a cycle through a hidden service',
    before: [{ Kind: 'proxy-defaults', Config: { protocol: 'http' } }, splitter('open', HIDDEN), splitter(HIDDEN, 'mine')],
    change: splitter('mine', 'open'),
  },
  {
    what: 'a redirect of a service that is exported with a hidden resolver',
    before: [
      exported('mine'),
      resolver(HIDDEN, { Redirect: { Datacenter: 'dc2' } }),
      resolver('open', { Failover: { '*': { Service: HIDDEN } } }),
    ],
    change: resolver('mine', { Redirect: { Service: 'open' } }),
  },
  {
    what: 'another protocol for a service of a hidden gateway',
    before: [
      defaults('open'),
      { Kind: 'ingress-gateway', Name: HIDDEN, Listeners: [{ Port: 80, Protocol: 'http', Services: [{ Name: 'open' }] }] },
    ],
    change: defaults('open', 'grpc'),
  },
  {
    what: 'the deletion of defaults that a hidden splitter needs',
    before: [defaults(HIDDEN), defaults('open'), splitter(HIDDEN, 'open')],
    change: 'config/service-defaults/open',
  },
]

const change = ({ ask }: ConfigWorld, { change: sent }: Case, secret: string | undefined, query = '') =>
  typeof sent === 'string' ? ask('DELETE', sent + query, undefined, secret) : ask('PUT', `config${query}`, sent, secret)

describe.each(CASES)('a change that would break entries the caller cannot read: $what', (testCase) => {
  it('is refused without naming these entries', async () => {
    await using world = await configWorld()
    for (const entry of testCase.before) expect(await world.ask('PUT', 'config', entry)).toMatchObject({ status: 200 })
    const secretOf = async (Name: string, Rules: string): Promise<string> => {
      const { ID } = await world.service.policies.create({ Name, Rules })
      return (await world.service.tokens.create({ Policies: [{ ID }] })).SecretID
    }
    const everything = 'service_prefix "" { policy = "write" intentions = "write" }'
    const narrow = await secretOf('narrow', `${everything} service "KIOSK" { policy = "deny" }`)
    const wide = await secretOf('wide', everything)
    for (const query of ['', '?dry_run']) {
      const answer = await change(world, testCase, wide, query)
      expect([answer.status, answer.body]).toEqual([400, expect.stringContaining(HIDDEN)])
      expect(await change(world, testCase, undefined, query)).toEqual(answer)
      const { status, body } = await change(world, testCase, narrow, query)
      expect([status, body]).toEqual([400, expect.stringContaining('may not read')])
      expect(body).not.toMatch(/kiosk|grpc|dc2/i)
    }
    if (typeof testCase.change === 'string') return
    const typed = world.service.as(narrow).entries.apply(testCase.change as never)
    await expect(typed).rejects.toSatisfy((error: Error) => !`${error.stack}${JSON.stringify(error)}`.match(/kiosk|grpc|dc2/i))
  })
})
