/** The key types whose functions are loaded when they are first needed. */
import { DeferredCode } from '../../../core/base/deferred-code.ts'
import type { CurveName } from '../../../core/crypto/backend.ts'
import { CURVE_25519, NIST_CURVES } from '../../../core/crypto/curves/curve-code.ts'
import { sameNumber } from './key-codec.ts'
import type { Costs, DeferredTypeName, KeyFacts, KeyType } from './key-type.ts'

const ASYMMETRIC = /* @__PURE__ */ new DeferredCode(
  'asymmetric keys',
  async () => (await import('./asymmetric-types.ts')).FUNCTIONS,
)

function deferredType(
  name: DeferredTypeName,
  facts: Pick<KeyFacts, 'displayName' | 'canDerive' | 'fips' | 'isManaged' | 'costs' | 'blockingBackends' | 'numbers'>,
  curves: readonly DeferredCode[] = [],
): KeyType {
  const functions = () => ASYMMETRIC.code[name]
  return {
    ...facts,
    keySizes: undefined,
    upsert: false,
    canConverge: false,
    macOnly: false,
    code: [ASYMMETRIC, ...curves],
    get encryptor() {
      return functions().encryptor
    },
    get signer() {
      return functions().signer
    },
    get x509() {
      return functions().x509
    },
    get agreement() {
      return functions().agreement
    },
    get generate() {
      return functions().generate
    },
    get codec() {
      return functions().codec
    },
    get open() {
      return functions().open
    },
    get openPublic() {
      return functions().openPublic
    },
  }
}

type SigningCosts = Pick<Costs, 'sign' | 'verify'>

/**
 * Returns the costs of signatures on a curve. Native code signs only messages, and only with the random numbers of the system.
 * @param native The measured costs of OpenSSL.
 * @param noble The measured costs of noble.
 */
const curveCosts =
  (curve: CurveName | 'Ed25519', native: SigningCosts, noble: SigningCosts): KeyFacts['costs'] =>
  ({ crypto, entropy }, prehashed = false) => {
    const isNative = crypto.nativeCurves?.includes(curve) && entropy.system && !prehashed
    return { encrypt: 0, decrypt: 0, ...(isNative ? native : noble) }
  }

const ecdsaType = (curve: CurveName, number: number, native: SigningCosts, noble: SigningCosts): KeyType => {
  const facts = {
    displayName: curve,
    canDerive: false,
    fips: true,
    isManaged: false,
    costs: curveCosts(curve, native, noble),
    blockingBackends: ['noble'],
    numbers: sameNumber(number),
  } as const
  return deferredType(`ecdsa-${curve.replace('P-', 'p')}` as DeferredTypeName, facts, [NIST_CURVES])
}

const rsaType = (name: `rsa-${2048 | 3072 | 4096}`, number: number, costs: Costs): KeyType =>
  deferredType(name, {
    displayName: name,
    canDerive: false,
    fips: true,
    isManaged: false,
    costs: () => costs,
    blockingBackends: ['noble', 'accelerated', 'node'],
    numbers: sameNumber(number),
  })

const ed25519 = deferredType(
  'ed25519',
  {
    displayName: 'ed25519',
    canDerive: true,
    fips: false,
    isManaged: false,
    costs: curveCosts('Ed25519', { sign: 50, verify: 120 }, { sign: 400, verify: 600 }),
    blockingBackends: ['noble', 'accelerated'],
    numbers: sameNumber(2),
  },
  [CURVE_25519],
)

const managed = deferredType('managed_key', {
  displayName: 'managed_key',
  canDerive: false,
  fips: true,
  isManaged: true,
  costs: () => ({ encrypt: 50, decrypt: 50, sign: 50, verify: 50 }),
  blockingBackends: [],
  numbers: {},
})

export const DEFERRED_TYPES = {
  ed25519,
  'ecdsa-p256': ecdsaType('P-256', 1, { sign: 40, verify: 100 }, { sign: 600, verify: 2000 }),
  'ecdsa-p384': ecdsaType('P-384', 6, { sign: 900, verify: 800 }, { sign: 1200, verify: 5000 }),
  'ecdsa-p521': ecdsaType('P-521', 7, { sign: 1800, verify: 1400 }, { sign: 1800, verify: 9000 }),
  'rsa-2048': rsaType('rsa-2048', 3, { encrypt: 30, decrypt: 400, sign: 400, verify: 40 }),
  'rsa-3072': rsaType('rsa-3072', 9, { encrypt: 50, decrypt: 1800, sign: 1800, verify: 60 }),
  'rsa-4096': rsaType('rsa-4096', 4, { encrypt: 80, decrypt: 4000, sign: 4000, verify: 80 }),
  managed_key: managed,
} as const satisfies Readonly<Record<DeferredTypeName, KeyType>>
