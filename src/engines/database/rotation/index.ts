/**
 * When the credentials of static roles are changed.
 */
export {
  type Dueness,
  dueness,
  type GivenRotation,
  mergeRotation,
  nextRotation,
  type Rotation,
  rotationTtl,
} from './rotation.ts'
