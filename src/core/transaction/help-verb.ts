/** Requests with the parameter `help` are routed with this verb, whatever their own verb is. No HTTP client sends it. */
export const HELP = 'HELP'
