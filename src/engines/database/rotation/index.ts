export {
  mergeRotation,
  nextRotation,
  type RotationInput,
  type RotationSettings,
  type RotationTiming,
  rotationTiming,
  rotationTtl,
} from './rotation.ts'
