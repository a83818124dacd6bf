/**
 * Conversions between bytes and text, implemented by the platform.
 */
export { texts } from '#platform/texts'
