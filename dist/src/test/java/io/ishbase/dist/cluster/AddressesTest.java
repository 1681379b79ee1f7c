package io.ishbase.dist.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ishbase.dist.CliException;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class AddressesTest {
  @TempDir private Path dir;

  private Addresses addresses() throws IOException {
    return Addresses.in(dir.resolve("addresses.properties"));
  }

  @Test
  void portsStayFromOneStartToTheNextUnlessAnotherHasOne() throws IOException {
    Network network = new LoopbackNetwork();
    Ports ports = addresses().ports(network);
    addresses().keep(network, ports);

    Ports again = addresses().ports(network);
    for (Ports.Port port : Ports.Port.values()) {
      assertThat(again.of(port)).isEqualTo(ports.of(port)).isBetween(20_000, 31_999);
    }
    int number = ports.of(Ports.Port.ZOOKEEPER);
    try (ServerSocket other = new ServerSocket(number)) {
      assertThatThrownBy(() -> addresses().ports(network))
          .isInstanceOf(CliException.class)
          .hasMessageContaining("Port " + number + " (ZOOKEEPER)")
          .hasMessageContaining("end that, or delete " + dir);
    }
  }

  @Test
  void aNetworkKeepsItsAddressesWhateverTheNumberOfItsNodes() throws IOException {
    Network network = addresses().network(false, 1, 0);
    addresses().keep(network, Ports.usual());
    addresses().keep(new LoopbackNetwork(), Ports.free());

    Network again = addresses().network(false, 3, 1);
    assertThat(again.clientAddress()).isEqualTo(network.clientAddress());
    assertThat(again.computeAddress()).isEqualTo(network.computeAddress());
    assertThat(again.storageAddress(2)).isEqualTo(network.storageAddress(2));
    assertThat(addresses().network(true, 1, 0).hasOwnPorts()).isFalse();
  }
}
