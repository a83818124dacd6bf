/** Requests that secret sync refuses with 400 or 404 in both views. The measured file also limits the time of a refusal. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { typedView } from '../../../src/core/request/typed-view.ts'
import { KernelError } from '../../../src/index.ts'
import { syncOperations } from '../../../src/sys/sync/engine.ts'
import { openWorld, type World } from './world.ts'

const LONG = 'x'.repeat(2_000_000)
const MANY = Object.fromEntries(Array.from({ length: 9_000 }, (_, n) => [`t${n}`, 'v']))
const AT = { type: 'cloud-a-sm', name: 'aws' }

type Sent = readonly [method: string, verb: string, path: string, args: Readonly<Record<string, unknown>>]

const CASES: readonly Sent[] = [
  ['writeCloudASm', 'POST', 'destinations/cloud-a-sm/x', { name: 'x', access_key_id: LONG }],
  ['writeCloudASm', 'POST', 'destinations/cloud-a-sm/x', { name: 'x', secret_name_template: LONG }],
  ['writeCloudASm', 'POST', 'destinations/cloud-a-sm/x', { name: 'x', secret_name_template: '{{'.repeat(16_000) }],
  ['writeCloudASm', 'POST', 'destinations/cloud-a-sm/x', { name: 'x', custom_tags: MANY }],
  ['writeCloudASm', 'POST', 'destinations/cloud-a-sm/x', { name: 'x', custom_tags: { a: LONG } }],
  ['writeCloudASm', 'POST', 'destinations/cloud-a-sm/x', { name: 'x', granularity: 'none' }],
  [
    'writeRepohost',
    'POST',
    'destinations/repohost/x',
    { name: 'x', access_token: '', repository_owner: 'o', repository_name: 'r' },
  ],
  ['setAssociation', 'POST', 'destinations/cloud-a-sm/aws/associations/set', { ...AT, mount: 'kv', secret_name: LONG }],
  ['setAssociation', 'POST', 'destinations/cloud-a-sm/aws/associations/set', { ...AT, mount: LONG, secret_name: 'a' }],
  [
    'setAssociation',
    'POST',
    'destinations/cloud-a-sm/aws/associations/set',
    { ...AT, mount: '/'.repeat(1_000_000), secret_name: 'a' },
  ],
  [
    'setAssociation',
    'POST',
    'destinations/cloud-a-sm/aws/associations/set',
    { ...AT, mount: 'kv', secret_name: '/'.repeat(2000) },
  ],
  ['setAssociation', 'POST', 'destinations/cloud-a-sm/aws/associations/set', { ...AT, mount: 'kv', secret_name: 'a\u0000' }],
  ['setAssociation', 'POST', 'destinations/cloud-a-sm/aws/associations/set', { ...AT, mount: 'kv', secret_name: '\ud800' }],
  ['removeAssociation', 'POST', 'destinations/cloud-a-sm/aws/associations/remove', { ...AT, mount: 'kv', secret_name: 'a/../b' }],
  ['readSecretDestinations', 'GET', 'associations/destinations', { mount: 'kv', secret_name: '' }],
  ['readDestination', 'GET', 'destinations/none/x', { type: 'none', name: 'x' }],
  ['reconcile', 'POST', 'reconcile', { limit: 0 }],
  ['reconcile', 'POST', 'reconcile', { after: LONG }],
]

/** Runs one call. A measured run repeats the call and limits its processor time. */
export type Attempt = <T>(call: () => Promise<T>) => Promise<T>

export function describeBadInput(attempt: Attempt): void {
  let world: World
  /** The methods of the operations. The facade overrides `reconcile` with a method that has no `limit` and `after`. */
  let operations: Record<string, (args: unknown) => Promise<unknown>>
  beforeAll(async () => {
    world = await openWorld()
    const { kernel } = world as unknown as { kernel: { view: (View: unknown, type: string, path: string) => typeof operations } }
    operations = kernel.view(typedView(syncOperations), 'system', 'sys/')
    await world.write('a', { n: 1 })
  })
  afterAll(() => world.kernel.close())

  describe.each(CASES.map((sent, index) => [`${index} ${sent[0]}`, sent] as const))(
    'bad input for kernel.sync, case %s',
    (_, [method, verb, path, args]) => {
      it('is refused by the typed method', async () => {
        const error = await attempt(async () => operations[method]?.(args).catch((thrown: unknown) => thrown))
        expect(error).toBeInstanceOf(KernelError)
        expect([400, 404]).toContain((error as KernelError).status)
        expect(String((error as KernelError).message).length).toBeLessThan(400)
      })

      it('is refused by the call by path', async () => {
        const send = { method: verb, path: `/v1/sys/sync/${path}`, headers: { 'X-Service-Token': world.kernel.rootToken ?? '' } }
        const { status } = await attempt(() =>
          world.kernel.handle(verb === 'POST' ? { ...send, body: args } : { ...send, query: args as Record<string, string> }),
        )
        expect([400, 404]).toContain(status)
      })
    },
  )
}
