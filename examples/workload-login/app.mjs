/**
 * The application: stores the secrets of other programs, and decides which programs may log in and which rights they get.
 */
import { createDevKernel } from 'strongroom'

/** The roles: service accounts of the namespace `prod`, and the policies of their tokens. */
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

/** @param cluster.publicKey Verifies the signatures of service account tokens. @param cluster.tokenReviewer Is called at every login. */
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
