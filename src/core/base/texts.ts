/**
 * Bytes to text and back, as the platform does it best.
 */
export { texts } from '#platform/texts'
