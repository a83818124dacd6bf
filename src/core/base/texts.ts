/**
 * Conversions between bytes and strings, implemented by the platform.
 */
export { texts } from '#platform/texts'
