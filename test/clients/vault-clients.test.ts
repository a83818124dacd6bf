/** Unmodified clients of Vault with servers of this process. */

import { describe } from 'vitest'
import { served } from './servers.ts'
import { describeLitehexNodeVault } from './suites/litehex-node-vault.ts'
import { describeLogins } from './suites/logins.ts'
import { describeNodeVault } from './suites/node-vault.ts'
import { describeOperators } from './suites/operators.ts'
import { describeSeal } from './suites/seal.ts'

describe('strongroom/http', () => {
  describeNodeVault(served)
  describeLitehexNodeVault(served)
  describe('logins', () => describeLogins(served))
  describe('operators', () => describeOperators(served))
  describe('seal', () => describeSeal(served))
})
