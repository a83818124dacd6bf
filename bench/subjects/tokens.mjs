/**
 * Tokens: making them, looking at them, renewing and ending them. In memory, so what a store adds is in durable-write.
 */
import { measure } from '../measure.mjs'
import { table, timeCell } from '../report.mjs'
import { checked, openKernel } from '../setup.mjs'

export const title = 'Tokens'

const MAKER = 'path "auth/token/*" { capabilities = ["create", "read", "update"] }'
const DEPTH = 10

export async function run() {
  const { kernel } = await openKernel()
  await kernel.policies.writePolicy({ name: 'maker', policy: MAKER })
  const policies = ['maker', 'default']
  const { client_token: token, accessor } = await kernel.tokens.createToken({ policies, ttl: '700h' })
  let deepest = token
  for (let depth = 1; depth < DEPTH; depth++) deepest = (await kernel.as(deepest).tokens.createToken()).client_token
  const [own, deep] = [kernel.as(token).tokens, kernel.as(deepest).tokens]
  const asSelf = { method: 'GET', path: '/v1/auth/token/lookup-self', headers: { 'X-Service-Token': token } }
  await checked(kernel, asSelf)
  const made = await measure({
    'an orphan': async (n) => {
      for (let i = 0; i < n; i++) await kernel.tokens.createToken({ policies, ttl: '1h' })
    },
    'a child': async (n) => {
      for (let i = 0; i < n; i++) await own.createToken({ ttl: '1h' })
    },
    [`a child ${DEPTH} below`]: async (n) => {
      for (let i = 0; i < n; i++) await deep.createToken({ ttl: '1h' })
    },
    'a batch token': async (n) => {
      for (let i = 0; i < n; i++) await own.createToken({ ttl: '1h', type: 'batch' })
    },
  })
  const looked = await measure({
    'by token': async (n) => {
      for (let i = 0; i < n; i++) await kernel.tokens.lookupToken({ token })
    },
    'by accessor': async (n) => {
      for (let i = 0; i < n; i++) await kernel.tokens.lookupAccessor({ accessor })
    },
    'by itself': async (n) => {
      for (let i = 0; i < n; i++) await own.lookupSelf()
    },
    'by itself, request': async (n) => {
      for (let i = 0; i < n; i++) await kernel.handle(asSelf)
    },
  })
  const changed = await measure({
    renewed: async (n) => {
      for (let i = 0; i < n; i++) await own.renewSelf()
    },
    'made and revoked': async (n) => {
      for (let i = 0; i < n; i++) {
        const { client_token } = await kernel.tokens.createToken({ policies, ttl: '1h' })
        await kernel.tokens.revokeToken({ token: client_token })
      }
    },
  })
  await kernel.close()
  const text = [
    ['made', made],
    ['looked up', looked],
    ['changed', changed],
  ]
    .map(([what, rounds]) => table([what, ...rounds.names], [['', ...rounds.names.map((name) => timeCell(rounds.time(name)))]]))
    .join('\n\n')
  return { targets: [], text }
}
