// What the guests beside this file name of the host that they were written for.
declare module "@earendil-works/pi-coding-agent" {
  export interface ExtensionAPI {}
}
