import { ROOT_NAMESPACE } from '../../contract/namespace.ts'
import type { TokenRecord } from '../../contract/token-record.ts'
import { ROOT_POLICY } from '../policies.ts'

/** The record of a root token. A root token may do everything and does not expire. */
export const rootRecord = (accessor: string, cubbyhole: string, mount: string, now: number): TokenRecord => ({
  type: 'service',
  accessor,
  namespace: ROOT_NAMESPACE.uuid,
  policies: [ROOT_POLICY],
  path: 'auth/token/root',
  meta: null,
  display_name: 'root',
  num_uses: 0,
  created: now,
  expires: null,
  creation_ttl: 0,
  last_ttl: 0,
  renewed: null,
  renewable: false,
  explicit_max_ttl: 0,
  period: 0,
  parent: '',
  role: '',
  entity: '',
  bound_cidrs: [],
  cubbyhole,
  mount,
  state: 'live',
})
