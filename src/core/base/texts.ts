/**
 * Bytes to text and back, by the platform's best means.
 */
export { texts } from '#platform/texts'
