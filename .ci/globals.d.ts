// What the pages' scripts find in their window.

interface Window {
  Plotly: any;
  coterieHabits?: boolean;
}

interface WindowEventMap {
  "coterie-ahead": CustomEvent;
  "coterie-likely": CustomEvent;
  "coterie-moved": CustomEvent;
}

// The dashboard puts the certificate's checker before the script that asks it.
declare function certify(...files: Uint8Array[]): any;
