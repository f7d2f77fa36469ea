import type { ReactNode } from 'react'

/** What the marks of the rail mean. */
export function RailLegend() {
  return (
    <div className="rkey" aria-hidden="true">
      <Sign name="removed">
        <path d="M10 6H1" className="tick removed" />
      </Sign>
      <Sign name="added">
        <path d="M16 6h9" className="tick added" />
      </Sign>
      <Sign name="seen after shell">
        <path d="M16 6h9M10 6H1" className="tick neither seen" />
      </Sign>
      <Sign name="command">
        <circle cx="13" cy="6" r="2.3" className="node command" />
      </Sign>
      <Sign name="refused">
        <path d="M10 3l6 6m0-6l-6 6" className="cross-ground" />
        <path d="M10 3l6 6m0-6l-6 6" className="cross" />
      </Sign>
      <Sign name="unknown">
        <path d="M8 6H0M18 6h8" className="wings" />
        <circle cx="13" cy="6" r="3.4" className="node unknown" />
        <circle cx="13" cy="6" r=".9" className="dot" />
      </Sign>
    </div>
  )
}

function Sign({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <span>
      <svg className="rail" width="26" height="12" viewBox="0 0 26 12" fill="none">
        <path d="M13 0v12" className="axis" />
        {children}
      </svg>
      {name}
    </span>
  )
}
