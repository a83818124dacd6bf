/** Rotating the barrier keys. */
import { configureKeyring, configureRotation, readKeyringConfig, readRotationConfig } from './config.ts'
import { readKeyStatus, rotate, rotateKeyring, rotateRootKey } from './rotate.ts'

export const rotateOperations = { rotate, rotateRootKey, readKeyStatus, readRotationConfig, configureRotation }
/** The same operations under other paths. */
export const rotatePathOperations = { rotateKeyring, readKeyringConfig, configureKeyring }
