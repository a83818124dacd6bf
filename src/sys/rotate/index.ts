/** The operations that rotate the barrier key and the root key. */
import { configureKeyring, configureRotation, readKeyringConfig, readRotationConfig } from './config.ts'
import { readKeyStatus, rotate, rotateKeyring, rotateRootKey } from './rotate.ts'

export const rotateOperations = { rotate, rotateRootKey, readKeyStatus, readRotationConfig, configureRotation }
/** The same operations at alternative paths. */
export const rotatePathOperations = { rotateKeyring, readKeyringConfig, configureKeyring }
