/**
 * The application: it keeps the secrets of other programs, and says which of them may log in and what they get then.
 */
import { createDevKernel } from 'strongroom'

/** Who logs in as what: service accounts of the namespace `prod`, and the rules of their tokens. */
const ROLES = {
  web: {
    accounts: ['web', 'web-*'],
    policy: 'path "secret/web/*" { capabilities = ["read"] }',
  },
  billing: {
    accounts: ['billing'],
    policy: `
      path "secret/billing/*"      { capabilities = ["read"] }
      path "transit/decrypt/cards" { capabilities = ["update"] }
    `,
  },
}

/** @param cluster.publicKey What its tokens are signed with. @param cluster.tokenReviewer Is asked at every login. */
export async function openApp({ publicKey, tokenReviewer }) {
  const kernel = await createDevKernel({ ports: { tokenReviewer } })
  await kernel.kv.writeSecret({ path: 'web/db', data: { user: 'web', password: 'correct horse' } })
  await kernel.kv.writeSecret({ path: 'billing/db', data: { user: 'billing', password: 'battery staple' } })
  await kernel.transit.createKey({ name: 'cards' })

  await kernel.orchestrator.configure({ orchestrator_host: 'https://cluster.example', pem_keys: [publicKey] })
  for (const [name, { accounts, policy }] of Object.entries(ROLES)) {
    await kernel.policies.writePolicy({ name, policy })
    await kernel.orchestrator.writeRole({
      name,
      bound_service_account_names: accounts,
      bound_service_account_namespaces: ['prod'],
      token_policies: [name],
      token_ttl: '5m',
      token_max_ttl: '1h',
    })
  }
  return kernel
}
