/** A session without a policy would have all permissions of the assumed role. */
import { expect, it } from 'vitest'
import { DOCUMENT, openCloud, READ_ONLY, ROLE_ARN } from './creds-world.ts'

const GROUPS = {
  managed: { attached: [READ_ONLY] },
  inline: { inline: { own: DOCUMENT } },
  bare: { inline: { own: '{}' } },
  empty: {},
  hollow: {},
}
const ARNS = [[], [''], ['', ''], [READ_ONLY], ['', READ_ONLY]]
const DOCUMENTS = ['', DOCUMENT, '{}']
const IN_GROUPS = [
  [],
  ['empty'],
  ['empty', 'hollow'],
  ['managed'],
  ['empty', 'managed'],
  ['inline'],
  ['bare'],
  ['empty', 'empty'],
]

it('a role with any policy, policy ARN or group never produces a session without a policy', async () => {
  await using world = await openCloud({ fake: { groups: GROUPS } })
  const { kernel, cloud, send } = world
  let unlimited = 0
  let roles = 0
  for (const credential_type of ['assumed_role', 'federation_token'] as const)
    for (const policy_arns of ARNS)
      for (const policy_document of DOCUMENTS)
        for (const iam_groups of IN_GROUPS) {
          const name = `r${++roles}`
          const role_arns = credential_type === 'assumed_role' ? [ROLE_ARN] : []
          const role = { name, credential_type, role_arns, policy_arns, policy_document, iam_groups }
          const isWritten = await kernel.cloud.writeRole(role).then(
            () => true,
            (error: { status?: number }) => error.status !== 400,
          )
          for (const path of [`creds/${name}`, `sts/${name}`]) {
            const before = cloud.calls.length
            const { status } = await send('GET', `cloud/${path}`)
            const made = cloud.calls.slice(before).filter(({ call }) => call === 'assumeRole' || call === 'getFederationToken')
            const { policy, policyArns = [] } = (made[0]?.request ?? {}) as { policy?: string; policyArns?: readonly string[] }
            const carries = policy !== undefined || policyArns.some((arn) => arn !== '')
            const isNamed =
              policy_arns.length + iam_groups.length > 0 || policy_document !== '' || credential_type !== 'assumed_role'
            expect([role, status, made.length === 0 || carries || !isNamed]).toEqual([role, status, true])
            if (!isWritten || (isNamed && made.length === 0)) expect([role, status]).toEqual([role, 400])
            if (made.length > 0 && !isNamed) unlimited++
          }
        }
  // A role without any limit is deliberate; only these sessions may be unlimited.
  expect(unlimited).toBe(2)
})

it('a role whose group has lost all policies produces no more sessions', async () => {
  const groups: Record<string, { attached?: string[] }> = { devs: { attached: [READ_ONLY] } }
  await using world = await openCloud({ fake: { groups } })
  const { kernel, send } = world
  await kernel.cloud.writeRole({ name: 'r', credential_type: 'assumed_role', role_arns: [ROLE_ARN], iam_groups: ['devs'] })
  expect((await send('GET', 'cloud/sts/r')).status).toBe(200)
  groups['devs']!.attached!.length = 0
  expect((await send('GET', 'cloud/sts/r')).status).toBe(400)
})
